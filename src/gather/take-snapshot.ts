import { isOwnTemplate, readClaimTemplate } from '../core/cluster/devices/claim-template.ts'
import { hamiAnnotations, readHamiDevices, slimRegistration } from '../core/cluster/hami-register.ts'
import { rankSettingOf } from '../core/decision/multi-pod-job.ts'
import { selfSizingOf } from '../core/decision/self-sizing.ts'
import { gpuContainersOf } from '../core/decision/whom.ts'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf } from '../core/json.ts'
import { kueueMarkOf } from '../core/pod/kueue-mark.ts'
import { type ContainerView, type PodView, readPod } from '../core/pod/pod-view.ts'
import { readLimitRange } from '../core/quota/limit-range.ts'
import { readResourceQuota } from '../core/quota/resource-quota.ts'
import { outOfMemoryEvidence } from '../core/usage/estimator/out-of-memory.ts'
import type { ClusterLister, ListedKind } from '../ports/cluster-lister.ts'
import { readPodRecord } from './pod-record.ts'
import { SNAPSHOT_API_VERSION, SNAPSHOT_KIND, type Snapshot } from './snapshot.ts'

/**
 * The cluster as decisions see it, in one document: what they do not read is left out (images of nodes, managed fields,
 * environment, commands, volumes). Only pods that ask for GPUs are in it.
 */
export async function takeSnapshot(lister: ClusterLister): Promise<Snapshot> {
  const all = async (kind: ListedKind, project: (raw: unknown) => unknown): Promise<readonly unknown[]> => {
    const kept: unknown[] = []
    await lister.list(kind, (raw) => {
      const view = project(raw)
      if (view !== undefined) kept.push(view)
    })
    return kept
  }
  const replicaSets = await all('replicasets', owner)
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: SNAPSHOT_KIND,
    nodes: await all('nodes', node),
    namespaces: await all('namespaces', (raw) => ({ metadata: metadataOf(raw, ['name', 'labels']) })),
    policies: await all('gpupolicies', custom),
    workloads: await all('gpuworkloads', custom),
    owners: [...replicaSets, ...(await all('jobs', owner))],
    pods: await all('pods', gpuPod),
    exemptions: await all('gpuexemptions', exemption),
    quotas: await all('resourcequotas', quota),
    limitRanges: await all('limitranges', limitRange),
    ...(await readDevices(all))
  }
}

type ReadAll = (kind: ListedKind, project: (raw: unknown) => unknown) => Promise<readonly unknown[]>

async function readDevices(all: ReadAll): Promise<Pick<Snapshot, 'devices'>> {
  const named = (raw: unknown): JsonRecord => ({
    metadata: metadataOf(raw, ['name', 'creationTimestamp']),
    ...pick(raw, ['spec'])
  })
  const resourceSlices = await all('resourceslices', named)
  if (resourceSlices.length === 0) return {}
  const deviceClasses = await all('deviceclasses', named)
  const claimTemplates = await all('resourceclaimtemplates', (raw) =>
    readClaimTemplate(raw) === undefined
      ? undefined
      : { metadata: metadataOf(raw, ['name', 'namespace', 'labels']), ...pick(raw, ['spec']) }
  )
  return { devices: { resourceSlices, deviceClasses, claimTemplates } }
}

function metadataOf(raw: unknown, keys: readonly string[]): JsonRecord {
  return pick(fieldOf(raw, 'metadata'), keys)
}

/** Own fields of an object, in the order of `keys`; those that are missing are left out. */
function pick(value: unknown, keys: readonly string[]): JsonRecord {
  return Object.fromEntries(
    keys.flatMap((key) => (fieldOf(value, key) === undefined ? [] : [[key, fieldOf(value, key)]]))
  )
}

function node(raw: unknown): JsonRecord {
  const conditions = listOf(fieldOf(raw, 'status'), 'conditions').filter(
    (entry) => fieldOf(entry, 'type') === 'Ready'
  )
  return {
    metadata: { ...metadataOf(raw, ['name', 'labels']), ...registration(fieldOf(raw, 'metadata')) },
    spec: pick(fieldOf(raw, 'spec'), ['taints', 'unschedulable']),
    status: {
      ...pick(fieldOf(raw, 'status'), ['allocatable', 'capacity']),
      conditions: conditions.map((entry) => pick(entry, ['type', 'status']))
    }
  }
}

/** What HAMi has registered on a node, without ids of GPUs. */
function registration(metadata: unknown): JsonRecord {
  if (readHamiDevices(metadata) === undefined) return {}
  const { register } = hamiAnnotations
  return {
    annotations: { [register]: slimRegistration(stringOf(fieldOf(metadata, 'annotations'), register) ?? '') }
  }
}

function custom(raw: unknown): JsonRecord {
  const metadata = metadataOf(raw, ['name', 'namespace', 'generation', 'resourceVersion'])
  return { ...pick(raw, ['apiVersion', 'kind']), metadata, ...pick(raw, ['spec', 'status']) }
}

/** When it was made bounds how long it lives. */
function exemption(raw: unknown): JsonRecord {
  const metadata = metadataOf(raw, ['name', 'namespace', 'creationTimestamp'])
  return { ...pick(raw, ['apiVersion', 'kind', 'spec']), metadata }
}

/** Quotas that say nothing of extended resources or claims bind nobody here. */
function quota(raw: unknown): JsonRecord | undefined {
  if (readResourceQuota(raw) === undefined) return undefined
  return {
    metadata: metadataOf(raw, ['name', 'namespace']),
    spec: pick(fieldOf(raw, 'spec'), ['hard', 'scopes', 'scopeSelector']),
    status: pick(fieldOf(raw, 'status'), ['hard', 'used'])
  }
}

function limitRange(raw: unknown): JsonRecord | undefined {
  if (readLimitRange(raw) === undefined) return undefined
  return { metadata: metadataOf(raw, ['name', 'namespace']), spec: pick(fieldOf(raw, 'spec'), ['limits']) }
}

/** Only what is controlled by something else, or held by Kueue, tells more than its own name. */
function owner(raw: unknown): JsonRecord | undefined {
  const controllers = listOf(fieldOf(raw, 'metadata'), 'ownerReferences').filter(
    (ref) => fieldOf(ref, 'controller') === true
  )
  const mark = kueueMarkOf(fieldOf(raw, 'metadata'))
  if (controllers.length === 0 && mark === undefined) return undefined
  const metadata = {
    ...metadataOf(raw, ['name', 'namespace']),
    ...(controllers.length === 0 ? {} : { ownerReferences: controllers.map(reference) }),
    ...(mark === undefined ? {} : { labels: { [mark]: '' } })
  }
  return { ...pick(raw, ['kind']), metadata }
}

function reference(ref: unknown): JsonRecord {
  return pick(ref, ['apiVersion', 'kind', 'name', 'controller', 'uid'])
}

/** Claims from templates of ours: a pod whose only share is one asks for no GPU resource. Claims of others are not looked at. */
function ownClaims(spec: unknown): readonly unknown[] {
  return listOf(spec, 'resourceClaims').filter((claim) =>
    isOwnTemplate(stringOf(claim, 'resourceClaimTemplateName'))
  )
}

function gpuPod(raw: unknown): JsonRecord | undefined {
  const namespace = stringOf(fieldOf(raw, 'metadata'), 'namespace') ?? ''
  const view = readPod(raw, namespace)
  const spec = fieldOf(raw, 'spec')
  const resourceClaims = ownClaims(spec)
  if (gpuContainersOf(view).length + resourceClaims.length === 0) return undefined
  const owners = listOf(fieldOf(raw, 'metadata'), 'ownerReferences').filter(
    (ref) => fieldOf(ref, 'controller') === true
  )
  return {
    metadata: {
      ...metadataOf(raw, [
        'name',
        'generateName',
        'namespace',
        'uid',
        'creationTimestamp',
        'labels',
        'annotations'
      ]),
      ...(owners.length === 0 ? {} : { ownerReferences: owners.map(reference) })
    },
    spec: {
      ...pick(spec, [
        'nodeName',
        'nodeSelector',
        'affinity',
        'tolerations',
        'schedulerName',
        'runtimeClassName',
        'schedulingGates',
        'priorityClassName',
        'activeDeadlineSeconds',
        'subdomain',
        'schedulingGroup',
        'workloadRef'
      ]),
      ...(resourceClaims.length === 0 ? {} : { resourceClaims }),
      initContainers: containersOf(spec, view, 'initContainers'),
      containers: containersOf(spec, view, 'containers')
    },
    status: {
      ...pick(fieldOf(raw, 'status'), ['phase', 'startTime']),
      ...endingsOf(raw)
    },
    ...breaksOf(raw)
  }
}

/** Codes of the rules by which a share would not hold the pod: what they were found by is left out. */
function breaksOf(raw: unknown): JsonRecord {
  const breaks = (readPodRecord(raw)?.defeats ?? []).map(({ rule, onlyShared }) => ({ rule, onlyShared }))
  return breaks.length === 0 ? {} : { breaks }
}

/** When and how containers ended, without what they wrote: of that, only whether GPU memory ran out. */
function endingsOf(raw: unknown): JsonRecord {
  const status = fieldOf(raw, 'status')
  return Object.fromEntries(
    ['initContainerStatuses', 'containerStatuses'].flatMap((list) => {
      const ended = listOf(status, list).flatMap((entry) => endingOf(entry) ?? [])
      return ended.length === 0 ? [] : [[list, ended]]
    })
  )
}

function endingOf(entry: unknown): JsonRecord | undefined {
  const states = ['state', 'lastState'].flatMap((state) => {
    const terminated = fieldAt(entry, state, 'terminated')
    if (terminated === undefined) return []
    const message = ranOutOfMemory(terminated) ? { message: OUT_OF_MEMORY } : {}
    return [
      [state, { terminated: { ...pick(terminated, ['exitCode', 'reason', 'finishedAt']), ...message } }]
    ]
  })
  return states.length === 0 ? undefined : { ...pick(entry, ['name']), ...Object.fromEntries(states) }
}

/** Words of ours that are read like those of a library. */
const OUT_OF_MEMORY = 'CUDA out of memory'

function ranOutOfMemory(terminated: unknown): boolean {
  const exitCode = fieldOf(terminated, 'exitCode')
  const evidence = outOfMemoryEvidence({
    exitCode: typeof exitCode === 'number' ? exitCode : undefined,
    terminationMessage: stringOf(terminated, 'message') ?? '',
    wasRewritten: false,
    lastSampleMiB: undefined,
    shareMiB: undefined
  })
  return evidence === 'message'
}

function containersOf(spec: unknown, view: PodView, list: ContainerView['list']): readonly JsonRecord[] {
  const raws = listOf(spec, list)
  return view.containers
    .filter((container) => container.list === list)
    .map((container) => ({
      ...pick(raws[container.index], ['name', 'image', 'restartPolicy', 'resources']),
      ...settingsThatDecide(container)
    }))
}

/**
 * Of command line and variables only the settings that decide: a fraction of the device, and being one rank of several.
 * Both are numbers or words of ours, never what a user wrote beside them.
 */
function settingsThatDecide(container: ContainerView): JsonRecord {
  const fraction = selfSizingOf(container)?.setting
  const ownFraction =
    fraction === undefined || fraction.startsWith('--') ? fraction : `${fraction}=${container.env[fraction]}`
  const settings = [ownFraction, rankSettingOf(container)].filter((setting) => setting !== undefined)
  const args = settings.filter((setting) => setting.startsWith('--'))
  const env = settings.filter((setting) => !setting.startsWith('--')).map(toVariable)
  return { ...(args.length === 0 ? {} : { args }), ...(env.length === 0 ? {} : { env }) }
}

function toVariable(setting: string): JsonRecord {
  const split = setting.indexOf('=')
  return { name: setting.slice(0, split), value: setting.slice(split + 1) }
}
