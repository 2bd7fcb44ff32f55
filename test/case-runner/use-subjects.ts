import { namespaceLabels } from '../../src/core/api/names.ts'
import { fieldAt, type JsonRecord, stringOf } from '../../src/core/json.ts'
import { type WorkloadRef, workloadKey } from '../../src/core/pod/workload.ts'
import { parseDuration } from '../../src/core/policy/duration.ts'
import type { UsageBlock } from '../../src/core/usage/block.ts'
import type { ContainerUsage, WorkloadUsage } from '../../src/core/usage/usage.ts'
import { type CaseFile, recordOr } from './case-file.ts'
import type { Subject } from './subjects.ts'
import { admittedPods, type UseInCase } from './use-in-case.ts'

interface Place {
  readonly namespace: string
  readonly workload: WorkloadRef
}

/** The pods of a case of measured use: those that it holds, else the next pod of each workload that was measured. */
export function useSubjects(file: CaseFile, use: UseInCase): readonly Subject[] {
  const places = placesOf(use)
  const pods = admittedPods(file.input)
  if (pods.length > 0) return pods.map((pod, index) => subject(file, use, places[index] ?? places[0], pod))
  return places.length === 0
    ? [subject(file, use, undefined, undefined)]
    : places.map((place) => subject(file, use, place, undefined))
}

function placesOf({ pods }: UseInCase): readonly Place[] {
  const keyOf = ({ namespace, workload }: Place): string => `${namespace}/${workloadKey(workload)}`
  return [...Map.groupBy(pods, keyOf).values()].flatMap(([pod]) => pod ?? [])
}

function subject(
  file: CaseFile,
  use: UseInCase,
  place: Place | undefined,
  given: JsonRecord | undefined
): Subject {
  const policy = recordOr(file.input.policy)
  const names = place === undefined ? ['main'] : containersOf(use, place)
  const pod = given ?? nextPod(names)
  const name = stringOf(fieldAt(pod, 'metadata'), 'namespace') ?? place?.namespace ?? 'team-a'
  return {
    pod,
    operation: 'CREATE',
    subResource: '',
    oldPod: undefined,
    namespace: {
      name,
      labels: {
        [namespaceLabels.rightsize]: policy.optIn === false ? 'off' : 'enforce',
        ...(policy.allowShared === true ? { [namespaceLabels.isolation]: 'shared-ok' } : {})
      }
    },
    policy,
    usage: place === undefined ? undefined : usageOf(file, use, place),
    workload: undefined
  }
}

function containersOf({ pods }: UseInCase, place: Place): readonly string[] {
  const own = pods.filter((pod) => isAt(pod, place))
  return [...new Set(own.flatMap(({ containers }) => containers.map(({ name }) => name)))]
}

/** A pod as the series call it: each container asks for one GPU. */
function nextPod(containers: readonly string[]): JsonRecord {
  const gpu = { 'nvidia.com/gpu': '1' }
  return {
    metadata: { name: 'next' },
    spec: {
      containers: containers.map((name) => ({
        name,
        image: 'registry.example/app:1',
        resources: { limits: gpu, requests: gpu }
      }))
    }
  }
}

function isAt({ namespace, workload }: Place, place: Place): boolean {
  return namespace === place.namespace && workloadKey(workload) === workloadKey(place.workload)
}

function usageOf(file: CaseFile, use: UseInCase, place: Place): WorkloadUsage | undefined {
  const containers = containersOf(use, place).flatMap(
    (name) => containerUsage(file, use, { ...place, name }) ?? []
  )
  return containers.length === 0 ? undefined : { version: '1', containers }
}

function containerUsage(
  file: CaseFile,
  { attribution: { histories, bounds } }: UseInCase,
  place: Place & { readonly name: string }
): ContainerUsage | undefined {
  const blocks = histories.flatMap(({ key, blocks: own }) =>
    isAt(key, place) && key.container === place.name ? own : []
  )
  const shared = bounds.filter((bound) => isAt(bound, place) && bound.container === place.name)
  const highest = blocks.toSorted((a, b) => b.peakMiB - a.peakMiB)[0]
  if (highest === undefined && shared.length === 0) return undefined
  const policy = recordOr(file.input.policy)
  return {
    container: place.name,
    peakMiB: highest?.peakMiB ?? Math.max(...shared.map(({ atMostMiB }) => atMostMiB)),
    peakCompute: computeOf(blocks),
    deviceMiB: highest?.limitMiB,
    evidence: highest === undefined ? 'shared-device' : 'own',
    coverageSeconds: parseDuration(policy.coverage ?? file.history.coverage ?? '14d') ?? 0
  }
}

function computeOf(blocks: readonly UsageBlock[]): ContainerUsage['peakCompute'] {
  const busy = blocks.flatMap(({ peakCompute }) => peakCompute ?? [])
  return busy.length === 0 ? undefined : { ratio: Math.max(...busy), metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' }
}
