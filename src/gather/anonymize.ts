import { userAnnotations } from '../core/api/names.ts'
import { isRecord, type JsonRecord } from '../core/json.ts'
import type { Snapshot } from './snapshot.ts'

/** Makes a short text that says nothing of `text`; the same for the same text. */
export type Hash = (text: string) => string

/** Label keys with these beginnings say what a GPU, a node or a workload is in public terms; they and their values stay. */
const publicKeys =
  /^(nvidia\.com\/|cloud\.google\.com\/gke-|rightslice\.dev\/|kubernetes\.io\/(arch|os)$|node\.kubernetes\.io\/instance-type$)/

/** Keys that Kubernetes and its controllers set: the key stays, the value does not. */
const commonKeys =
  /^(app|component|pod-template-hash|controller-revision-hash|statefulset\.kubernetes\.io\/.*|.*\bk(8s|ubernetes)\.io\/.*|.*\b(ray|kubeflow|argoproj|volcano)\b.*)$/

/** Fields that hold a name, or several. */
const nameFields = new Set(['name', 'generateName', 'namespace', 'namespaces', 'nodeName', 'image', 'policy'])

/** Fields that hold labels or a selector of labels. */
const labelFields = new Set(['labels', 'nodeSelector', 'matchLabels'])

/**
 * The snapshot with every name hashed: nodes, namespaces, workloads, containers, images, and labels other than those of
 * GPUs. Names are hashed part by part and numbers stay, so that a ReplicaSet still leads to its Deployment and a Job to
 * its CronJob. Texts that people wrote are left out.
 */
export function anonymize(snapshot: Snapshot, hash: Hash): Snapshot {
  const hashName = (text: string): string =>
    text.replace(/[A-Za-z0-9]+/g, (part) => (/^\d+$/.test(part) ? part : hash(part)))
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
    if (key === 'annotations' && isRecord(value)) return ownWishes(value)
    if (labelFields.has(key) && isRecord(value)) return labels(value)
    if (nameFields.has(key)) return names(value)
    if (key === 'uid' || key === 'message') return ''
    return walk(value)
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isRecord(value)) return value
    if (typeof value.key === 'string') return requirement(value, value.key)
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, field(key, entry)]))
  }
  const all = (objects: readonly unknown[]): readonly unknown[] => objects.map(walk)
  return {
    ...snapshot,
    nodes: all(snapshot.nodes),
    namespaces: all(snapshot.namespaces),
    policies: all(snapshot.policies),
    workloads: all(snapshot.workloads),
    owners: all(snapshot.owners),
    pods: all(snapshot.pods)
  }
}

/** The user's annotations of ours but for the free text; others may hold anything. */
function ownWishes(annotations: JsonRecord): JsonRecord {
  const kept: readonly string[] = Object.values(userAnnotations).filter(
    (key) => key !== userAnnotations.reason
  )
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => kept.includes(key)))
}
