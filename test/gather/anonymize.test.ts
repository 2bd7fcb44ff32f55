import { createHash } from 'node:crypto'
import t from 'tap'
import { readNode } from '../../src/core/cluster/node-view.ts'
import { decide } from '../../src/core/decision/decide.ts'
import type { JsonRecord } from '../../src/core/json.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { workloadOf } from '../../src/core/pod/workload.ts'
import { readExemption } from '../../src/core/policy/exemption.ts'
import { readGpuWorkload } from '../../src/core/usage/read-gpu-workload.ts'
import { dc1 } from '../../src/demo/dc1.ts'
import { dc1Pods } from '../../src/demo/dc1-pods.ts'
import { anonymize } from '../../src/gather/anonymize.ts'
import { ClusterState } from '../../src/gather/cluster-state.ts'
import { gatherDecisionInput } from '../../src/gather/decision-input.ts'
import { type Snapshot, storesOf } from '../../src/gather/snapshot.ts'
import { aHamiNode } from '../build/node.ts'

/** Every name below has a part like this, so that none of them is left when no such part is. */
const SECRET = /acme\w*|größe/i

const named = {
  reason: 'acmereason',
  kept: '[{"name":"acmepod","node":"acmenode","uid":"acmeuid","containers":[{"image":"acmeimage"}]}]'
}

/** A pod of a workflow that a tenant calls as it likes, with names wherever a pod may have one. */
const argoPod: JsonRecord = {
  metadata: {
    name: 'acme-run-1',
    namespace: 'acme-team',
    uid: 'acmeuid',
    labels: {
      'workflows.argoproj.io/workflow-template': 'acme-flow',
      'workflows.argoproj.io/workflow': 'acme-run'
    },
    annotations: { 'workflows.argoproj.io/node-name': 'acme-run[0].acme-größe(1:acme)' },
    ownerReferences: [
      {
        apiVersion: 'flows.acme.example/v1',
        kind: 'Workflow',
        name: 'acme-run',
        controller: true,
        uid: 'acme'
      }
    ]
  },
  spec: {
    nodeName: 'acme-node',
    schedulerName: 'acme-scheduler',
    runtimeClassName: 'kata-acme',
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: 'acme.example/rack',
            namespaces: ['acme-team'],
            labelSelector: { matchExpressions: [{ key: 'acme', operator: 'In', values: ['acme'] }] }
          }
        ]
      }
    },
    containers: [
      { name: 'acme-main', image: 'acme.example/i:1', resources: { limits: { 'nvidia.com/gpu': '1' } } }
    ]
  }
}

const namedSnapshot: Snapshot = {
  ...dc1,
  nodes: [],
  policies: [],
  owners: [],
  namespaces: [{ metadata: { name: 'acme-team', labels: { team: 'acme' } } }],
  pods: [argoPod],
  workloads: [
    {
      apiVersion: 'rightslice.dev/v1alpha1',
      kind: 'GpuWorkload',
      metadata: { name: 'acme-flow-1', namespace: 'acme-team' },
      spec: {
        workloadRef: {
          apiVersion: 'flows.acme.example/v1',
          kind: 'WorkflowTemplate',
          name: 'acme-flow',
          role: 'acme-train'
        }
      },
      status: {
        policy: 'acme-policy',
        decision: { reason: 'NoHistory', message: named.reason },
        scraped: named.kept,
        knownPods: named.kept,
        containers: [
          {
            name: 'acme-main',
            image: 'acme.example/i:1',
            sizing: [
              {
                model: 'NVIDIA-H200',
                stepUps: [
                  {
                    at: '2026-11-29T00:00:00Z',
                    failedMiB: 1,
                    evidence: 'message',
                    image: 'acme.example/i:1'
                  }
                ]
              }
            ]
          }
        ],
        conditions: []
      }
    }
  ],
  exemptions: [
    {
      apiVersion: 'rightslice.dev/v1alpha1',
      kind: 'GpuExemption',
      metadata: { name: 'acme-test', namespace: 'acme-team', creationTimestamp: '2026-11-29T00:00:00Z' },
      spec: {
        rules: ['Rewrite'],
        workloadRef: { kind: 'WorkflowTemplate', name: 'acme-flow' },
        expires: '2026-12-29T00:00:00Z',
        reason: named.reason,
        approval: { decision: 'Approved', by: 'acme@acme.example', comment: 'for acme' }
      }
    }
  ]
}

const hash = (text: string): string => `x${createHash('sha256').update(text).digest('hex').slice(0, 7)}`
const settings = { systemNamespaces: [], schedulers: ['default-scheduler'] }
const withPods: Snapshot = { ...dc1, pods: dc1Pods.map(({ object }) => object) }

function reasonsIn(snapshot: Snapshot): readonly string[] {
  const state = new ClusterState(storesOf(snapshot), (task) => task())
  return snapshot.pods.map((object) => {
    const { namespace } = Object(object).metadata
    const arrival = { operation: 'CREATE', subResource: '', namespace, object, nowMs: 0 }
    return decide(gatherDecisionInput(arrival, state, settings)).reason
  })
}

t.test('no name of the cluster is left, in any part of the snapshot', async (t) => {
  const text = JSON.stringify(anonymize(withPods, hash))

  for (const word of [
    'reranker',
    'search',
    'ml-dev',
    'gpu-a100-01',
    'dc1-sharing',
    'notebook',
    'registry.example',
    'example.com/desk',
    'load test'
  ]) {
    t.notOk(text.includes(word), word)
  }
  t.ok(text.includes('NVIDIA-A100-SXM4-40GB'), 'what a GPU is stays')
})

t.test('what HAMi has registered stays, without ids', async (t) => {
  const node = aHamiNode({ name: 'acme-1', annotations: { 'example.com/a': 'acme' } })

  const [hidden] = anonymize({ ...withPods, nodes: [node] }, hash).nodes

  t.strictSame(readNode(hidden)?.hami, readNode(node)?.hami)
  t.notMatch(JSON.stringify(hidden), /GPU-0|acme/)
})

t.test('an anonymous cluster gives the same decisions', async (t) => {
  const selfSizingByFlag = reasonsIn(anonymize(withPods, hash))

  t.strictSame(selfSizingByFlag, reasonsIn(withPods))
})

t.test('the same name gives the same hash, and the snapshot that came in stays as it is', async (t) => {
  const before = JSON.stringify(withPods)

  t.strictSame(anonymize(withPods, hash), anonymize(withPods, hash))
  t.equal(JSON.stringify(withPods), before)
})

t.test('no name is left wherever an object may hold one, and all of it can be read again', async (t) => {
  const anonymous = anonymize(namedSnapshot, hash)

  t.notMatch(JSON.stringify(anonymous), SECRET)
  t.doesNotThrow(() => storesOf(anonymous))
  const [workload] = anonymous.workloads.map(readGpuWorkload)
  const [exemption] = anonymous.exemptions.map(readExemption)
  t.match(exemption, { target: { kind: 'workload', workload: { name: workload?.workload.name } } })
  t.match(anonymous.pods, [{ spec: { runtimeClassName: /^kata-x/, schedulerName: /^x\w+-scheduler$/ } }])
})

t.test('a pod still leads to the history of its role', async (t) => {
  const pod: JsonRecord = {
    ...argoPod,
    metadata: {
      ...Object(argoPod.metadata),
      annotations: { 'workflows.argoproj.io/node-name': 'acme-run[0].acme-train(1:acme)' }
    }
  }

  const anonymous = anonymize({ ...namedSnapshot, pods: [pod] }, hash)

  const [workload] = anonymous.workloads.map(readGpuWorkload)
  const { namespace } = Object(anonymous.pods[0]).metadata
  t.strictSame(
    workloadOf(readPod(anonymous.pods[0], namespace), () => undefined),
    workload?.workload
  )
})

t.test('words of ours that tell a role stay', async (t) => {
  const workloads = [
    { spec: { workloadRef: { kind: 'LeaderWorkerSet', name: 'acme', role: 'leader' } } },
    { spec: { workloadRef: { kind: 'PyTorchJob', name: 'acme', role: 'worker' } } }
  ]

  const anonymous = anonymize({ ...namedSnapshot, workloads }, hash)

  t.match(anonymous.workloads, [
    { spec: { workloadRef: { role: 'leader' } } },
    { spec: { workloadRef: { role: hash('worker') } } }
  ])
})
