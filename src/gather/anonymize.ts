import { userAnnotations } from '../core/api/names.ts'
import { hamiAnnotations, slimRegistration } from '../core/cluster/hami-register.ts'
import { isRecord, type JsonRecord } from '../core/json.ts'
import { toRoleName } from '../core/pod/role-name.ts'
import { roleAnnotations } from '../core/pod/workload.ts'
import type { Snapshot } from './snapshot.ts'

/** Makes a short text that says nothing of `text`; the same for the same text. */
export type Hash = (text: string) => string

/** Label keys with these beginnings say what a GPU, a node or a workload is in public terms; they and their values stay. */
const publicKeys =
  /^(nvidia\.com\/|cloud\.google\.com\/gke-|rightslice\.dev\/|kubernetes\.io\/(arch|os)$|node\.kubernetes\.io\/instance-type$|ray\.io\/originated-from-crd$)/

/** Keys that Kubernetes and its controllers set: the key stays, the value does not. */
const commonKeys =
  /^(app|component|metadata\.name|pod-template-hash|controller-revision-hash|statefulset\.kubernetes\.io\/.*|.*\bk(8s|ubernetes)\.io\/.*|.*\b(ray|kubeflow|argoproj|volcano|yunikorn|koordinator)\b.*)$/

/** Fields that hold a name, or several. */
const nameFields = new Set([
  'name',
  'generateName',
  'namespace',
  'namespaces',
  'nodeName',
  'image',
  'policy',
  'by'
])

/** Fields whose text says nothing that a decision reads: identities, sentences, and what the controller notes for itself. */
const unreadFields = new Set(['uid', 'message', 'comment', 'knownPods', 'scraped'])

/** Names of a scheduler or a runtime class, and the parts of them that decisions know. */
const programFields = new Set(['schedulerName', 'runtimeClassName'])
const programParts =
  /^(default|scheduler|kai|volcano|hami|runai|kata|qemu|nvidia|cdi|legacy|gvisor|runsc|runc|crun)$/

/** The kind whose roles are words of ours, leader and worker. */
const KIND_WITH_OWN_ROLES = 'LeaderWorkerSet'

/** API groups that many clusters have; others are called after who made them. */
const publicGroups =
  /^[^/.]+(\/[^/.]+)?$|^([^/]+\.)?(k8s\.io|x-k8s\.io|kubernetes\.io|kubeflow\.org|argoproj\.io|ray\.io|knative\.dev|kserve\.io|tekton\.dev|volcano\.sh|openshift\.io|rightslice\.dev|sigs\.k8s\.io)\/[^/]+$/

/** Fields that hold labels or a selector of labels. */
const labelFields = new Set(['labels', 'nodeSelector', 'matchLabels'])

/**
 * The snapshot with every name hashed: nodes, namespaces, workloads, containers, images, and labels other than those of
 * GPUs. Names are hashed part by part and numbers stay, so that a ReplicaSet still leads to its Deployment and a Job to
 * its CronJob. Texts that people wrote are left out.
 */
export function anonymize(snapshot: Snapshot, hash: Hash): Snapshot {
  const hashName = (text: string): string =>
    text.replace(/[\p{L}\p{M}\p{N}]+/gu, (part) => (/^\d+$/.test(part) ? part : hash(part)))
  const hashProgram = (text: string): string =>
    text.replace(/[\p{L}\p{M}\p{N}]+/gu, (part) => (programParts.test(part) ? part : hash(part)))
  const keyOf = (key: string): string => (publicKeys.test(key) || commonKeys.test(key) ? key : hashName(key))
  const valueOf = (key: string, value: unknown): unknown =>
    typeof value === 'string' && !publicKeys.test(key) ? hashName(value) : value
  const names = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(names)
    return typeof value === 'string' ? hashName(value) : value
  }
  const labels = (map: JsonRecord): JsonRecord =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [keyOf(key), valueOf(key, value)]))
  const requirement = (entry: JsonRecord, key: string): JsonRecord => ({
    ...entry,
    key: keyOf(key),
    ...(Array.isArray(entry.values) ? { values: entry.values.map((value) => valueOf(key, value)) } : {}),
    ...(entry.value === undefined ? {} : { value: valueOf(key, entry.value) })
  })
  const field = (key: string, value: unknown): unknown => {
    if (key === 'annotations' && isRecord(value)) return annotations(value, hashName)
    if (labelFields.has(key) && isRecord(value)) return labels(value)
    if (nameFields.has(key)) return names(value)
    if (unreadFields.has(key)) return ''
    return typeof value === 'string' ? textOf(key, value) : walk(value)
  }
  const textOf = (key: string, text: string): string => {
    if (key === 'topologyKey') return keyOf(text)
    if (key === 'apiVersion') return publicGroups.test(text) ? text : hashGroup(text)
    return programFields.has(key) ? hashProgram(text) : text
  }
  const role = (kind: unknown, value: unknown): unknown =>
    typeof value === 'string' && kind !== KIND_WITH_OWN_ROLES ? toRoleName(hashName(value)) : value
  const hashGroup = (text: string): string =>
    `${hashName(text.replace(/\/.*$/, ''))}/${text.replace(/^.*\//, '')}`
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isRecord(value)) return value
    if (typeof value.key === 'string') return requirement(value, value.key)
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [
        key,
        key === 'role' ? role(value.kind, entry) : field(key, entry)
      ])
    )
  }
  const all = (objects: readonly unknown[]): readonly unknown[] => objects.map(walk)
  // Classes and templates are found by their names, also within texts, so they are left out as a whole.
  const { devices: _leftOut, ...others } = snapshot
  return {
    ...others,
    nodes: all(snapshot.nodes),
    namespaces: all(snapshot.namespaces),
    policies: all(snapshot.policies),
    workloads: all(snapshot.workloads),
    owners: all(snapshot.owners),
    pods: all(snapshot.pods),
    exemptions: all(snapshot.exemptions).map(withoutReason),
    quotas: all(snapshot.quotas),
    limitRanges: all(snapshot.limitRanges)
  }
}

/** An exemption has to have a reason. */
function withoutReason(exemption: unknown): unknown {
  if (!isRecord(exemption) || !isRecord(exemption.spec)) return exemption
  return { ...exemption, spec: { ...exemption.spec, reason: 'left out' } }
}

/**
 * The user's annotations of ours but for the free text, those that tell a workload's role, and HAMi's registration without ids; others
 * may hold anything.
 */
function annotations(map: JsonRecord, hashName: (text: string) => string): JsonRecord {
  const kept: readonly string[] = Object.values(userAnnotations).filter(
    (key) => key !== userAnnotations.reason
  )
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => {
      if (kept.includes(key)) return [[key, value]]
      if (key === hamiAnnotations.register) return [[key, slimRegistration(String(value)) ?? '']]
      return roleAnnotations.includes(key) && typeof value === 'string' ? [[key, hashName(value)]] : []
    })
  )
}
