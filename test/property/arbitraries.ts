import fc from 'fast-check'
import type { JsonRecord } from '../../src/core/json.ts'
import { type PolicyRead, toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'
import type { WorkloadUsage } from '../../src/core/usage/usage.ts'
import { aGkeNode, aMigNode, aNode, aSharedNode, aSingleNode, aWholeNode } from '../build/node.ts'
import { aPod, type ContainerSpec } from '../build/pod.ts'
import { aRawPolicy } from '../build/policy.ts'
import type { someLimits } from '../build/quota.ts'

/** Everything that decides, in the form in which it comes from outside. */
export interface Scenario {
  readonly pod: JsonRecord
  readonly nodes: readonly JsonRecord[]
  readonly policies: readonly JsonRecord[]
  readonly usage: WorkloadUsage | undefined
  readonly namespaceLabels: Readonly<Record<string, string>>
  /** Quotas and LimitRanges of the namespace. */
  readonly bounds: Parameters<typeof someLimits>[0]
}

const NAMES = ['main', 'second', 'third', 'init-0', 'init-1'] as const
const POOLS = ['a', 'b'] as const
const PROFILES = ['1g.10gb', '1g.10gb.me', '2g.20gb', '3g.40gb', '7g.80gb'] as const
const ALL_PROFILES = ['1g.10gb', '1g.10gb+me', '2g.20gb', '3g.40gb', '7g.80gb']
const RESERVED = ['decision', 'explain', 'original-resources', 'snapshot'].map(
  (key) => `rightslice.dev/${key}`
)

/** The first value fifteen times out of sixteen, else one of the others. */
function mostly<T>(common: T, ...rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 15 * rare.length, arbitrary: fc.constant(common) },
    ...rare.map((value) => fc.constant(value))
  )
}

const slice = fc.record({
  count: fc.integer({ min: 1, max: 4 }),
  memoryMiB: fc.constantFrom(4864, 9000, 9728, 9984, 19_968, 40_448, 80_000),
  multiprocessors: fc.constantFrom(14, 16, 32, 60, 132)
})

const nodeExtras = fc.record({
  labels: fc.constantFrom(...POOLS.map((pool) => ({ pool })), {}),
  taints: mostly<readonly JsonRecord[]>([], [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }]),
  ready: mostly(true, false)
})

const product = fc.constantFrom('NVIDIA-H100-80GB-HBM3', 'NVIDIA-A100-SXM4-80GB', 'NVIDIA-L4', 'No-Such-GPU')

const gpuNode: fc.Arbitrary<(name: string) => JsonRecord> = fc
  .record({
    kind: fc.constantFrom(
      'mig',
      'mig',
      'mig',
      'shared',
      'shared',
      'both',
      'replicated',
      'single',
      'gke',
      'whole',
      'plain'
    ),
    extras: nodeExtras,
    product,
    profiles: fc.dictionary(fc.constantFrom(...PROFILES), slice, { minKeys: 1, maxKeys: 3 }),
    replicas: fc.integer({ min: 2, max: 5 }),
    memoryMiB: fc.constantFrom(15_360, 23_034, 81_559),
    renamed: fc.boolean()
  })
  .map(
    ({ kind, extras, ...spec }) =>
      (name: string) =>
        aGpuNode(kind, { name, ...extras, ...spec })
  )

type GpuNodeSpec = Parameters<typeof aMigNode>[0] & Parameters<typeof aSharedNode>[0]

function aGpuNode(kind: string, spec: NonNullable<GpuNodeSpec>): JsonRecord {
  switch (kind) {
    case 'mig':
      return aMigNode(spec)
    case 'shared':
      return aSharedNode(spec)
    case 'both':
      return aSharedNode({
        ...spec,
        labels: {
          ...spec.labels,
          'nvidia.com/mig-1g.10gb.memory': '9984',
          'nvidia.com/mig-1g.10gb.count': '2'
        },
        allocatable: { 'nvidia.com/mig-1g.10gb': '2' }
      })
    case 'replicated':
      return aMigNode({
        ...spec,
        profiles: { '1g.10gb': { count: 4, memoryMiB: 9728 } },
        labels: {
          ...spec.labels,
          'nvidia.com/mig-1g.10gb.replicas': '2',
          'nvidia.com/mig-1g.10gb.sharing-strategy': 'time-slicing'
        }
      })
    case 'single':
      return aSingleNode({ ...spec, slices: 7, slice: { memoryMiB: 9984, multiprocessors: 16 } })
    case 'gke':
      return aGkeShare(spec)
    case 'whole':
      return aWholeNode(spec)
    default:
      return aNode(spec)
  }
}

/** Slices, replicas, or replicas of slices, sometimes behind a taint of their own. */
function aGkeShare({ name, labels, taints, renamed, replicas = 2 }: NonNullable<GpuNodeSpec>): JsonRecord {
  const own = { key: 'cloud.google.com/gke-gpu-partition-size', value: '1g.10gb', effect: 'NoSchedule' }
  return aGkeNode({
    ...(name === undefined ? {} : { name }),
    ...(labels === undefined ? {} : { labels }),
    taints: [...(taints ?? []), ...(renamed === true ? [own] : [])],
    accelerator: replicas === 3 ? 'nvidia-of-tomorrow' : 'nvidia-a100-80gb',
    count: 7,
    ...(replicas === 4 ? {} : { partitionSize: '1g.10gb' }),
    ...(replicas === 2 ? {} : { sharing: { strategy: 'time-sharing', clients: replicas } })
  })
}

/** Nodes of every kind; sometimes so many that host names do not tell classes apart any more. */
const nodes: fc.Arbitrary<readonly JsonRecord[]> = fc
  .tuple(fc.array(gpuNode, { minLength: 1, maxLength: 5 }), mostly(1, 5))
  .map(([makers, copies]) =>
    Array.from({ length: copies }).flatMap((_, copy) =>
      makers.map((make, index) => make(`node-${index}-${copy}`))
    )
  )

const headroom = fc.constantFrom('0%', '20%', '0.5', 20)

const policyFields = fc.record(
  {
    mode: mostly('Approve', 'Propose', 'Automatic'),
    priority: fc.integer({ min: 0, max: 2 }),
    nodeSelector: mostly<JsonRecord>({}, { pool: 'a' }, { pool: 'none' }),
    methods: mostly<readonly string[]>(
      ['mig-mixed', 'mig-single', 'time-slicing', 'gke'],
      ['mig-mixed'],
      ['time-slicing'],
      ['gke', 'time-slicing', 'mig-single', 'mig-mixed']
    ),
    mig: fc.record(
      {
        headroom,
        allowedProfiles: fc.oneof(
          { weight: 3, arbitrary: fc.constant(ALL_PROFILES) },
          fc.subarray(ALL_PROFILES)
        ),
        provisionable: mostly<readonly string[]>([], ['2g.20gb'], ['1g.10gb', '4g.40gb'])
      },
      { requiredKeys: ['headroom'] }
    ),
    timeSlicing: fc.record({
      namespaces: mostly(['team-a'], ['team-b']),
      maxReplicas: mostly(5, 2)
    }),
    compute: mostly<JsonRecord>({}, { fit: 'Ignore' }, { busyAbove: '0.8' }),
    exemptions: fc.record({ allowPin: fc.boolean() }),
    suspend: mostly(false, true),
    unheardOf: fc.constant(1)
  },
  { requiredKeys: ['mode', 'mig', 'timeSlicing'] }
)

/** Policies with distinct names, a few of them invalid. */
const policies: fc.Arbitrary<readonly JsonRecord[]> = fc
  .array(fc.tuple(policyFields, mostly(true, false)), { minLength: 1, maxLength: 3 })
  .map((specs) =>
    specs.map(([{ unheardOf, ...spec }, isValid], index) =>
      aRawPolicy({
        name: `policy-${index}`,
        ...spec,
        ...(spec.mode === 'Automatic' ? { window: 'Sat 02:00-06:00 UTC' } : {}),
        ...(isValid ? {} : { unheardOf: unheardOf ?? 1 })
      })
    )
  )

/** Policies as the engine reads them. */
export function readPolicies(raw: readonly JsonRecord[]): readonly PolicyRead[] {
  return raw.map(toEffectivePolicy)
}

const containerUsage = fc.record({
  peakMiB: fc.oneof(fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 1, max: 90_000 })),
  peakCompute: fc.option(
    fc.record({ ratio: fc.constantFrom(0, 0.01, 0.02, 0.05, 0.1, 0.3), metric: fc.constant('busy') }),
    { nil: undefined }
  ),
  deviceMiB: mostly<number | undefined>(undefined, 81_559, 9728),
  evidence: mostly<WorkloadUsage['containers'][number]['evidence']>(
    'own',
    'censored',
    'self-sizing',
    'shared-device'
  ),
  coverageSeconds: mostly(1_209_600, 3600)
})

/** What is known of each container, of now and then one too few. */
const usage: fc.Arbitrary<WorkloadUsage | undefined> = fc.option(
  fc.tuple(fc.tuple(...NAMES.map(() => containerUsage)), mostly(NAMES.length, 1)).map(([entries, known]) => ({
    version: '1',
    containers: entries.slice(0, known).map((entry, index) => ({ container: NAMES[index] ?? '', ...entry }))
  })),
  { nil: undefined, freq: 15 }
)

const unknownFields = fc.dictionary(fc.constantFrom('x-new', 'constructor', 'future', '~/'), fc.jsonValue(), {
  maxKeys: 2
})

const gpuLimits = mostly<JsonRecord>(
  { 'nvidia.com/gpu': '1' },
  { 'nvidia.com/gpu': 1, cpu: '2' },
  { 'nvidia.com/gpu': '1000m' },
  {},
  { 'nvidia.com/gpu': '0', memory: '1Gi' },
  { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb': '0' },
  { 'nvidia.com/gpu': '2' },
  { 'nvidia.com/mig-1g.10gb': '1' },
  { 'nvidia.com/gpu.shared': '1', 'nvidia.com/gpu': '1' }
)

const container: fc.Arbitrary<ContainerSpec> = fc
  .record({
    limits: gpuLimits,
    requests: mostly<JsonRecord | 'same' | 'none'>(
      'same',
      'none',
      { cpu: '1' },
      { 'nvidia.com/mig-1g.10gb': '0' }
    ),
    args: mostly<readonly string[]>(['serve'], ['--gpu-memory-utilization=0.9']),
    isSidecar: fc.boolean()
  })
  .map(({ requests, isSidecar, ...spec }) => ({
    ...spec,
    ...(isSidecar ? { restartPolicy: 'Always' } : {}),
    ...(requests === 'same' ? {} : { requests: requests === 'none' ? undefined : requests })
  }))

const wishes = mostly<Readonly<Record<string, string>>>(
  {},
  { pin: 'whole-gpu' },
  { pin: 'mig-1g.10gb' },
  { pin: 'mig-2g.20gb' },
  { pin: 'shared' },
  { 'min-memory': '9Gi' },
  { headroom: '50%' },
  { sharing: 'mig' },
  { sharing: 'never' },
  { headroom: 'nonsense' }
).map((entries) =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [`rightslice.dev/${key}`, value]))
)

const forged = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom(...RESERVED),
    fc.oneof(fc.string(), fc.constant('{"main":{"nvidia.com/gpu":"1"}}'), fc.constant('FitsMigProfile')),
    { maxKeys: 4 }
  )
)

const podFields = fc.record({
  containers: fc.oneof(
    { weight: 2, arbitrary: fc.tuple(container) },
    fc.array(container, { minLength: 1, maxLength: 3 })
  ),
  initContainers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(container, { maxLength: 2 })),
  annotations: fc.tuple(wishes, forged, mostly<JsonRecord>({}, { 'example.com/a': 'b' })),
  labels: mostly<Record<string, string>>(
    {},
    { app: 'x' },
    { 'rightslice.dev/slice': 'x' },
    { 'mpi-job-name': 'y' }
  ),
  hasMaps: fc.boolean(),
  nodeSelector: mostly<Record<string, string> | undefined>(
    undefined,
    { pool: 'a' },
    { 'nvidia.com/gpu.product': 'NVIDIA-L4' },
    { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' }
  ),
  nodeTerms: mostly<readonly JsonRecord[] | undefined>(undefined, [
    { matchExpressions: [{ key: 'pool', operator: 'In', values: ['a', 'b'] }] }
  ]),
  tolerations: mostly<readonly JsonRecord[] | undefined>(undefined, [{ operator: 'Exists' }]),
  unknown: fc.tuple(unknownFields, unknownFields, unknownFields, unknownFields)
})

/** Pods that an API server could send, with fields that nobody knows at every level. */
const pods: fc.Arbitrary<JsonRecord> = podFields.map(
  ({
    containers,
    initContainers,
    annotations,
    hasMaps,
    unknown,
    nodeSelector,
    nodeTerms,
    tolerations,
    labels
  }) => {
    const [ofPod, ofMetadata, ofSpec, ofContainer] = unknown
    const merged = Object.assign({}, ...annotations)
    const pod = aPod({
      containers: containers.map((spec, index) => ({ ...spec, name: NAMES[index] ?? '' })),
      ...(initContainers.length === 0 ? {} : { initContainers }),
      ...(hasMaps || Object.keys(merged).length > 0 ? { annotations: merged } : {}),
      ...(hasMaps || Object.keys(labels).length > 0 ? { labels } : {}),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(nodeTerms === undefined ? {} : { nodeTerms }),
      ...(tolerations === undefined ? {} : { tolerations }),
      spec: ofSpec
    })
    return withUnknown(pod, { ofPod, ofMetadata, ofContainer })
  }
)

function withUnknown(
  pod: JsonRecord,
  { ofPod, ofMetadata, ofContainer }: Readonly<Record<'ofPod' | 'ofMetadata' | 'ofContainer', JsonRecord>>
): JsonRecord {
  const copy = JSON.parse(JSON.stringify(pod))
  Object.assign(copy, ofPod)
  Object.assign(copy.metadata, ofMetadata)
  for (const raw of [...copy.spec.containers, ...(copy.spec.initContainers ?? [])]) {
    Object.assign(raw, ofContainer)
    Object.assign(raw.resources, ofContainer)
  }
  return copy
}

const countedKeys = [
  'nvidia.com/gpu',
  'nvidia.com/gpu.shared',
  'nvidia.com/mig-1g.10gb',
  'nvidia.com/mig-2g.20gb'
].map((name) => `requests.${name}`)
const smallCount = fc.integer({ min: 0, max: 3 }).map(String)

/** Mostly none, so that most pods are still rewritten. */
const bounds: fc.Arbitrary<Scenario['bounds']> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      quotas: fc.array(
        fc.record({
          name: fc.constantFrom('a', 'b'),
          counts: fc.dictionary(fc.constantFrom(...countedKeys), fc.tuple(smallCount, smallCount)),
          scopes: fc.constantFrom([], ['NotTerminating'], ['Terminating'], ['Tomorrow'])
        }),
        { maxLength: 2 }
      ),
      limitRanges: fc.constantFrom(
        [],
        [{ type: 'Container', default: { 'nvidia.com/gpu': '1' } }],
        [{ type: 'Pod', max: { 'nvidia.com/mig-1g.10gb': '1' } }]
      ),
      inFlight: fc.dictionary(fc.constantFrom(...countedKeys), fc.integer({ min: 0, max: 2 }))
    })
  }
)

const namespaceLabels = fc
  .tuple(mostly('enforce', 'warn', 'off'), mostly('shared-ok', 'hardware'))
  .map(([rightsize, isolation]) => ({
    'rightslice.dev/rightsize': rightsize,
    'rightslice.dev/isolation': isolation
  }))

/** Everything that decides; about one in five ends in a rewrite. */
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  pod: pods,
  nodes,
  policies,
  usage,
  namespaceLabels,
  bounds
})
