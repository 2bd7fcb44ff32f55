import { readFileSync } from 'node:fs'
import t from 'tap'
import { runSuggest, type Suggested } from '../../../src/cli/run-suggest.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { storesOf } from '../../../src/gather/snapshot.ts'
import { aMigNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { aRawQuota } from '../../build/quota.ts'

const golden = (name: string): string =>
  readFileSync(new URL(`../../golden/suggest/${name}.want.yaml`, import.meta.url), 'utf8')

function aNamespace(name: string, labels: Readonly<Record<string, string>> = {}): JsonRecord {
  return { metadata: { name, labels: { 'rightslice.dev/rightsize': 'enforce', ...labels } } }
}

const pool = { 'node.kubernetes.io/pool': 'gpu' }
const cluster = {
  nodes: [
    aMigNode({
      name: 'mig',
      labels: pool,
      profiles: { '1g.10gb': { count: 7, memoryMiB: 9728 }, '3g.40gb': { count: 2, memoryMiB: 40_320 } }
    }),
    aSharedNode({ name: 'shared', replicas: 4, renamed: true }),
    aWholeNode({ name: 'whole', labels: pool, gpus: 8 })
  ],
  namespaces: [
    aNamespace('search'),
    aNamespace('dev', { 'rightslice.dev/rightsize': 'warn', 'rightslice.dev/isolation': 'shared-ok' }),
    aNamespace('free'),
    { metadata: { name: 'aside', labels: {} } }
  ],
  policies: [
    aRawPolicy({
      name: 'all',
      timeSlicing: { namespaces: ['dev'], maxReplicas: 4 },
      mig: { provisionable: ['2g.20gb'] }
    }),
    aRawPolicy({ name: 'pool', nodeSelector: pool, mig: { allowedProfiles: ['1g.10gb'] } }),
    aRawPolicy({ name: 'asleep', suspend: true })
  ],
  quotas: [
    aRawQuota({
      namespace: 'search',
      counts: { 'requests.nvidia.com/gpu': ['4', '1'], 'requests.nvidia.com/mig-3g.40gb': ['2', '0'] }
    }),
    aRawQuota({
      namespace: 'dev',
      name: 'batch',
      selector: [{ scopeName: 'PriorityClass', operator: 'In', values: ['batch'] }],
      scopes: ['NotTerminating']
    }),
    aRawQuota({ namespace: 'free', counts: { 'requests.nvidia.com/mig-1g.10gb': ['1', '0'] } }),
    aRawQuota({ namespace: 'aside' })
  ]
}

function suggested(what: Suggested, parts: JsonRecord = cluster): string {
  const printed: string[] = []
  const snapshot = { apiVersion: 'cli.rightslice.dev/v1alpha1', kind: 'Snapshot', ...parts }
  runSuggest(what, storesOf(snapshot), { write: (text) => printed.push(text) })
  return printed.join('')
}

for (const what of ['quota', 'kueue'] as const) {
  t.test(`--suggest-${what} prints what to add, ready to be applied`, async (t) => {
    t.equal(suggested(what), golden(what))
  })

  t.test(`--suggest-${what} says so where there is nothing to add`, async (t) => {
    t.match(suggested(what, { ...cluster, policies: [] }), /^# Nothing to add: /)
    t.match(
      suggested(what, { ...cluster, nodes: [aWholeNode()], policies: [aRawPolicy()] }),
      /^# Nothing to add: /
    )
  })

  t.test(`--suggest-${what} does not depend on the order of what it reads`, async (t) => {
    const turned = Object.fromEntries(Object.entries(cluster).map(([key, list]) => [key, list.toReversed()]))
    const sameRank = { ...turned, policies: cluster.policies }

    t.equal(suggested(what, sameRank), suggested(what))
  })
}

t.test('what was suggested is enough: then there is nothing to add', async (t) => {
  const added = aRawQuota({
    namespace: 'search',
    name: 'more',
    counts: { 'requests.nvidia.com/mig-1g.10gb': ['28', '0'], 'requests.nvidia.com/mig-2g.20gb': ['12', '0'] }
  })
  const quotas = [...cluster.quotas.slice(0, 1), added]

  t.match(suggested('quota', { ...cluster, quotas }), /^# Nothing to add/)
})

t.test('under the single strategy slices are counted as the GPUs that they are cut from', async (t) => {
  const single = aWholeNode({
    name: 'single',
    product: 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb',
    gpus: 14,
    labels: { 'nvidia.com/mig.strategy': 'single' }
  })

  const yaml = suggested('kueue', {
    ...cluster,
    nodes: [cluster.nodes[0], single],
    policies: [aRawPolicy({ name: 'all' })]
  })

  t.match(yaml, /nominalQuota: 2520\n/)
})
