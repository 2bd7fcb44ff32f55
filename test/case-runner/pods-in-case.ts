import { migResourceName } from '../../src/core/gpu/resource-name.ts'
import { isRecord, type JsonRecord, stringMapOf, stringOf } from '../../src/core/json.ts'
import type { WorkloadRef } from '../../src/core/pod/workload.ts'
import type { KnownPod } from '../../src/core/usage/attribution/known.ts'
import { fitsName } from '../../src/core/usage/attribution/name-patterns.ts'
import type { DeviceLabels } from '../../src/core/usage/dialect-series.ts'
import { toMs } from './read-samples.ts'
import { recordsOf, samplesIn, toSeconds, wordsIn } from './samples-in.ts'

/** Workloads that the words of a case name: `Deployment/w`. */
export function workloadsIn(input: JsonRecord): readonly WorkloadRef[] {
  const named = wordsIn(input).flatMap((words) => [
    ...words.matchAll(/\b([A-Z][A-Za-z]+)\/([a-z0-9][-a-z0-9.]*)/g)
  ])
  const refs = named.map(([, kind = '', name = '']) => ({ kind, name }))
  return refs.filter(
    (ref, index) => refs.findIndex(({ kind, name }) => kind === ref.kind && name === ref.name) === index
  )
}

/** Pods that the case describes, or else one for each that the series name. */
export function podsIn(
  input: JsonRecord,
  labels: readonly DeviceLabels[],
  workloads: readonly WorkloadRef[]
): readonly KnownPod[] {
  const described = [...recordsOf(input, 'pods'), ...recordsOf(input, 'livePods')].filter(
    (pod) => !isRecord(pod.spec) && nameOf(pod) !== undefined
  )
  const seen = Map.groupBy(
    labels.filter(({ pod }) => pod !== ''),
    ({ namespace, pod, podUid }) => `${namespace}/${pod}/${podUid ?? ''}`
  )
  const all = [...seen.values()].map((own) => podOf(own, input, workloads))
  if (described.length === 0) return all
  return described.map((pod) => {
    const known = all.find(({ name, uid }) => name === nameOf(pod) && (uid === '' || uid === uidOf(pod)))
    return describedPod(pod, known, { input, workloads })
  })
}

function podOf(own: readonly DeviceLabels[], input: JsonRecord, workloads: readonly WorkloadRef[]): KnownPod {
  const [first] = own
  const { namespace = '', pod: name = '', podUid: uid = '', node = '' } = first ?? {}
  const byContainer = Map.groupBy(own, ({ container }) => container)
  const containers = [...byContainer].map(([container, ofIt]) => ({
    name: container === '' ? 'main' : container,
    image: 'now',
    gpuResource: resourceOf(ofIt)
  }))
  const workload = ownerOf({ namespace, name }, input, workloads)
  return { namespace, name, uid, node, workload, containers, startMs: undefined, endMs: undefined }
}

function resourceOf(own: readonly DeviceLabels[]): string {
  const [profile] = own.flatMap(({ migProfile }) => migProfile ?? [])
  return profile === undefined ? 'nvidia.com/gpu' : migResourceName(profile)
}

const startKeys = ['start', 'started', 'startedAt', 'startTime', 'created', 'from']
const endKeys = ['end', 'ended', 'endedAt', 'endTime', 'deleted', 'finishedAt', 'to']

function describedPod(
  pod: JsonRecord,
  known: KnownPod | undefined,
  { input, workloads }: { readonly input: JsonRecord; readonly workloads: readonly WorkloadRef[] }
): KnownPod {
  const unseen = { namespace: 'team-a', uid: '', node: '', containers: [describedContainer(pod)] }
  const { namespace: seenIn, uid, node, containers } = known ?? unseen
  const namespace = namespaceOf(pod) ?? seenIn
  const name = nameOf(pod) ?? ''
  return {
    namespace,
    name,
    uid: uidOf(pod) ?? uid,
    node: stringOf(pod, 'node') ?? node,
    workload: refIn(stringOf(pod, 'owner')) ?? ownerOf({ namespace, name }, input, workloads),
    containers,
    startMs: timeIn(pod, startKeys),
    endMs: timeIn(pod, endKeys)
  }
}

function describedContainer(pod: JsonRecord): KnownPod['containers'][number] {
  return {
    name: stringOf(pod, 'container') ?? 'main',
    image: stringOf(pod, 'image') ?? 'now',
    gpuResource: stringOf(pod, 'resource') ?? 'nvidia.com/gpu'
  }
}

function namespaceOf(pod: JsonRecord): string | undefined {
  return stringOf(pod, 'namespace') ?? stringOf(pod.metadata, 'namespace')
}

function nameOf(pod: JsonRecord): string | undefined {
  return stringOf(pod, 'name') ?? stringOf(pod, 'pod') ?? stringOf(pod.metadata, 'name')
}

function uidOf(pod: JsonRecord): string | undefined {
  return stringOf(pod, 'uid') ?? stringOf(pod.metadata, 'uid')
}

function timeIn(pod: JsonRecord, keys: readonly string[]): number | undefined {
  return toMs(toSeconds(keys.map((key) => pod[key]).find((value) => value !== undefined)))
}

/** What the case says of the owner, in words or by kube-state-metrics; else what the name looks like. */
function ownerOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  input: JsonRecord,
  workloads: readonly WorkloadRef[]
): WorkloadRef {
  const owners = { ...stringMapOf(input, 'owner'), ...stringMapOf(input, 'owners') }
  const told =
    refIn(owners[`${namespace}/${name}`] ?? owners[name]) ?? ownerByMetric({ namespace, name }, input)
  const forAll = refIn(stringOf(input, 'owner') ?? stringOf(input, 'owners'))
  const fitting = workloads.filter((workload) => fitsName(name, workload))
  return told ?? forAll ?? (fitting.length === 1 ? fitting[0] : undefined) ?? guess(name)
}

function refIn(words: string | undefined): WorkloadRef | undefined {
  const [, kind, name] = /\b([A-Z][A-Za-z]+)\/([a-z0-9][-a-z0-9.]*)/.exec(words ?? '') ?? []
  return kind === undefined || name === undefined ? undefined : { kind, name }
}

function ownerByMetric(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  input: JsonRecord
): WorkloadRef | undefined {
  const facts = samplesIn(input).filter(({ labels }) => labels.namespace === namespace)
  const own = facts.find((fact) => fact.name === 'kube_pod_owner' && fact.labels.pod === name)?.labels
  const set = facts.find(
    (fact) => fact.name === 'kube_replicaset_owner' && fact.labels.replicaset === own?.owner_name
  )?.labels
  const { owner_kind: kind, owner_name: owner } = set ?? own ?? {}
  return kind === undefined || owner === undefined ? undefined : { kind, name: owner }
}

function guess(name: string): WorkloadRef {
  const bases = [name.replace(/-[^-]+-[^-]+$/, ''), name.replace(/-\d+$/, '')]
  const guesses = [
    { kind: 'Deployment', name: bases[0] ?? name },
    { kind: 'StatefulSet', name: bases[1] ?? name }
  ]
  return guesses.find((workload) => fitsName(name, workload)) ?? { kind: 'Pod', name }
}
