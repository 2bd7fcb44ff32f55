import { namespaceLabels } from '../../src/core/api/names.ts'
import {
  fieldAt,
  fieldOf,
  isRecord,
  type JsonRecord,
  listOf,
  stringMapOf,
  stringOf
} from '../../src/core/json.ts'
import type { WorkloadRef } from '../../src/core/pod/workload.ts'
import { parseDuration } from '../../src/core/policy/duration.ts'
import type { ContainerUsage, WorkloadUsage } from '../../src/core/usage/usage.ts'
import { type CaseFile, recordOr } from './case-file.ts'

/** One pod of a case, with all that the case says of it. */
export interface Subject {
  readonly pod: JsonRecord
  readonly operation: string
  /** '' for the pod itself, which is what absence means. */
  readonly subResource?: string
  /** The pod before an update, as far as the case gives it. */
  readonly oldPod?: unknown
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly policy: JsonRecord
  readonly usage: WorkloadUsage | undefined
  /** The workload that the history is said to belong to, as far as it can be read. */
  readonly workload: WorkloadRef | undefined
}

/** The pods that a case is about, in the order of its expectations. */
export function subjectsOf(file: CaseFile): readonly Subject[] {
  const policies = listOf(file.input, 'policies').map(recordOr)
  if (policies.length > 0) {
    const peak = peaksIn(fieldOf(file.input, 'need'))[0]
    return policies.map((policy) => subject(file, { pod: plainPod(), policy, peak }))
  }
  const policy = recordOr(file.input.policy)
  const pods = podsOf(file.input)
  const peaks = peaksIn(fieldOf(file.input, 'need') ?? fieldOf(file.history, 'note'))
  if (pods.length > 0) {
    return pods.map((pod, index) => subject(file, { pod, policy, peak: peaks[index] ?? peaks[0] }))
  }
  return peaks.map((peak) => subject(file, { pod: plainPod(), policy, peak }))
}

function podsOf(input: JsonRecord): readonly JsonRecord[] {
  const single = ['pod', 'podOnSecondCall'].map((key) => input[key]).find(isRecord) ?? updatedPod(input)
  return single === undefined ? listOf(input, 'pods').filter(isRecord) : [single]
}

/** A pod that is being updated; a new state in words changes nothing that is looked at. */
function updatedPod({ newPod, oldPod }: JsonRecord): JsonRecord | undefined {
  return [newPod, oldPod].find(isRecord)
}

/** A pod that a case describes only in words. */
function plainPod(): JsonRecord {
  const gpu = { 'nvidia.com/gpu': '1' }
  return {
    metadata: { name: 'described' },
    spec: {
      containers: [
        { name: 'main', image: 'registry.example/app:1', resources: { limits: gpu, requests: gpu } }
      ]
    }
  }
}

/** Peaks in words: "a pod with peak 4000 MiB and a pod with peak 30000 MiB". */
function peaksIn(words: unknown): readonly number[] {
  if (typeof words !== 'string') return []
  return [...words.matchAll(/(\d+) MiB/g)].map(([, digits]) => Number(digits))
}

function subject(
  file: CaseFile,
  { pod, policy, peak }: { pod: JsonRecord; policy: JsonRecord; peak: number | undefined }
): Subject {
  const name =
    stringOf(file.input.admissionRequest, 'namespace') ??
    stringOf(policy, 'namespace') ??
    stringOf(pod.metadata, 'namespace') ??
    'team-a'
  const isOut = policy.optIn === false || (stringOf(file.input.namespaces, name) ?? '').startsWith('not ')
  const labels = {
    ...stringMapOf(file.input, 'namespaceLabels'),
    [namespaceLabels.rightsize]: isOut ? 'off' : 'enforce',
    ...(policy.allowShared === true ? { [namespaceLabels.isolation]: 'shared-ok' } : {})
  }
  return {
    pod,
    ...requestOf(file.input),
    namespace: { name, labels },
    policy,
    usage: usageOf(file.history, pod, peak),
    workload: workloadIn(file.history.workload)
  }
}

/** What the API server was asked to do with the pod; creation where the case does not say. */
function requestOf({
  admissionRequest: request,
  oldPod
}: JsonRecord): Pick<Subject, 'operation' | 'subResource' | 'oldPod'> {
  const [, after] = /\/(\w+)$/.exec(stringOf(request, 'resource') ?? '') ?? []
  return {
    operation: stringOf(request, 'operation') ?? 'CREATE',
    subResource: stringOf(request, 'subResource') ?? after ?? '',
    oldPod
  }
}

function workloadIn(text: unknown): WorkloadRef | undefined {
  const match = typeof text === 'string' ? /^(\w+)\/(\S+)/.exec(text) : null
  return match?.[1] === undefined || match[2] === undefined ? undefined : { kind: match[1], name: match[2] }
}

function usageOf(history: JsonRecord, pod: JsonRecord, peak: number | undefined): WorkloadUsage | undefined {
  const containers = containerHistories(history, pod, peak)
  return containers.length === 0 ? undefined : { version: '1', containers }
}

function containerHistories(
  history: JsonRecord,
  pod: JsonRecord,
  peak: number | undefined
): ContainerUsage[] {
  const named = history.containers
  if (isRecord(named)) {
    return Object.entries(named).flatMap(([name, own]) => usageEntry({ ...history, ...recordOr(own) }, name))
  }
  const own = stringOf(history, 'container')
  const first = stringOf(gpuContainers(pod)[0], 'name') ?? 'main'
  return usageEntry(peak === undefined ? history : { ...history, peakMiB: peak }, own ?? first)
}

function gpuContainers(pod: JsonRecord): readonly unknown[] {
  return listOf(pod.spec, 'containers').filter(
    (raw) => fieldAt(raw, 'resources', 'limits', 'nvidia.com/gpu') !== undefined
  )
}

function usageEntry(history: JsonRecord, container: string): ContainerUsage[] {
  const perGpu = listOf(history, 'peakMiBPerGpu').filter((value) => typeof value === 'number')
  const peakMiB = typeof history.peakMiB === 'number' ? history.peakMiB : Math.max(0, ...perGpu)
  if (peakMiB === 0) return []
  return [
    {
      container,
      peakMiB,
      peakCompute: computeOf(history),
      deviceMiB: undefined,
      evidence: 'own',
      coverageSeconds: parseDuration(history.coverage ?? '14d') ?? 0
    }
  ]
}

const computeFields = ['grEngineActiveP95', 'peakGrEngineActive'] as const

function computeOf(history: JsonRecord): ContainerUsage['peakCompute'] {
  const ratio = computeFields.map((field) => history[field]).find((value) => typeof value === 'number')
  return ratio === undefined ? undefined : { ratio, metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' }
}
