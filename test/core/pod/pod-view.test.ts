import fc from 'fast-check'
import t from 'tap'
import { readOwner, readPod } from '../../../src/core/pod/pod-view.ts'
import { aPod } from '../../build/pod.ts'

t.test('reads a pod whole', async (t) => {
  const pod = readPod(
    aPod({
      name: 'app-7c9d8-x2k4p',
      generateName: 'app-7c9d8-',
      namespace: 'from-object',
      labels: { app: 'app' },
      annotations: { note: 'x' },
      owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app-7c9d8', uid: 'u1' },
      nodeName: 'node-9',
      nodeSelector: { pool: 'gpu' },
      nodeTerms: [
        {
          matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
          matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }]
        },
        { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }
      ],
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }, {}],
      schedulerName: 'kai-scheduler',
      runtimeClassName: 'kata',
      resourceClaims: [{ name: 'c' }],
      schedulingGates: ['a/b', 'c/d']
    }),
    'from-request'
  )

  t.strictSame(JSON.parse(JSON.stringify(pod)), {
    namespace: 'from-request',
    name: 'app-7c9d8-x2k4p',
    generateName: 'app-7c9d8-',
    labels: { app: 'app' },
    annotations: { note: 'x' },
    owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app-7c9d8', uid: 'u1' },
    nodeName: 'node-9',
    nodeSelector: { pool: 'gpu' },
    nodeTerms: [
      {
        expressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
        fields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }]
      },
      { expressions: [{ key: 'gpu', operator: 'Exists', values: [] }], fields: [] }
    ],
    tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }, {}],
    schedulerName: 'kai-scheduler',
    runtimeClassName: 'kata',
    hostIpc: false,
    claims: [{ name: 'c' }],
    gates: ['a/b', 'c/d'],
    scopeTraits: { hasDeadline: false, isBestEffort: true },
    containers: [
      {
        list: 'containers',
        index: 0,
        name: 'main',
        image: 'registry.example/app:1',
        role: 'app',
        limits: { 'nvidia.com/gpu': '1' },
        requests: { 'nvidia.com/gpu': '1' },
        claims: [],
        words: [],
        env: {}
      }
    ]
  })
})

t.test('generateName: a pod without a name is named after what its name will begin with', async (t) => {
  t.equal(readPod(aPod({ generateName: 'job-' }), 'n').name, 'job-*')
  t.equal(readPod({ metadata: {} }, 'n').name, '')
})

t.test('reads init containers first, with the role that each has', async (t) => {
  const { containers } = readPod(
    aPod({
      initContainers: [
        { name: 'prepare', limits: {} },
        { name: 'proxy', limits: {}, restartPolicy: 'Always' },
        { name: 'other', limits: {}, restartPolicy: 'Never' }
      ],
      containers: [{ name: 'main', restartPolicy: 'Always' }, { name: 'second' }]
    }),
    'n'
  )

  t.strictSame(
    containers.map(({ list, index, name, role }) => [list, index, name, role]),
    [
      ['initContainers', 0, 'prepare', 'init'],
      ['initContainers', 1, 'proxy', 'sidecar'],
      ['initContainers', 2, 'other', 'init'],
      ['containers', 0, 'main', 'app'],
      ['containers', 1, 'second', 'app']
    ]
  )
})

t.test('reads claims, words and literal environment of a container', async (t) => {
  const raw = {
    spec: {
      containers: [
        {
          name: 'main',
          resources: { claims: [{ name: 'gpu' }] },
          command: ['python', 3],
          args: ['-m', 'app'],
          env: [
            { name: 'A', value: 'first' },
            { name: 'A', value: 'last' },
            { name: 'SECRET', valueFrom: { secretKeyRef: {} } },
            { name: 'EMPTY', value: '' },
            { value: 'nameless' }
          ]
        }
      ]
    }
  }

  const [container] = readPod(raw, 'n').containers

  t.equal(container?.claims.length, 1)
  t.equal(container?.limits, undefined)
  t.equal(container?.requests, undefined)
  t.strictSame(container?.words, ['python', '-m', 'app'])
  t.strictSame({ ...container?.env }, { A: 'last', EMPTY: '' })
})

t.test('required node affinity without terms is there, and matches nothing', async (t) => {
  t.strictSame(readPod(aPod({ nodeTerms: [] }), 'n').nodeTerms, [])
  t.equal(readPod(aPod({ affinity: { nodeAffinity: {} } }), 'n').nodeTerms, undefined)
  t.equal(readPod(aPod({ affinity: { podAntiAffinity: {} } }), 'n').nodeTerms, undefined)
})

t.test('a requirement with fields of other types is read as one that never holds', async (t) => {
  const pod = readPod(
    aPod({ nodeTerms: [{ matchExpressions: [{ key: 1, operator: null, values: 'a' }, 'x'] }] }),
    'n'
  )

  t.strictSame(pod.nodeTerms, [
    {
      expressions: [
        { key: '', operator: '', values: [] },
        { key: '', operator: '', values: [] }
      ],
      fields: []
    }
  ])
})

t.test('a scheduling gate without a name is none', async (t) => {
  t.strictSame(readPod({ spec: { schedulingGates: [{}, { name: 'a/b' }, 'c'] } }, 'n').gates, ['a/b'])
})

t.test('the owner is the one that controls the object', async (t) => {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u' }

  t.strictSame(
    readOwner({
      ownerReferences: [
        { kind: 'Other', name: 'o' },
        { ...owner, controller: true }
      ]
    }),
    owner
  )
  t.strictSame(readOwner({ ownerReferences: [{ kind: 'Job', name: 'j', controller: true }] }), {
    apiVersion: '',
    kind: 'Job',
    name: 'j',
    uid: ''
  })
  t.equal(readOwner({ ownerReferences: [owner] }), undefined)
  t.equal(readOwner({ ownerReferences: [{ ...owner, controller: 'true' }] }), undefined)
  t.equal(readOwner({ ownerReferences: [{ kind: 'Job', controller: true }] }), undefined)
  t.equal(readOwner({ ownerReferences: [{ name: 'j', controller: true }] }), undefined)
  t.equal(readOwner(undefined), undefined)
})

t.test('reads any JSON without a throw', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      readPod(a, 'n')
      readPod({ metadata: a, spec: b }, 'n')
      readPod({ metadata: { ownerReferences: [a], labels: b }, spec: { containers: [a], affinity: b } }, 'n')
    })
  )
})
