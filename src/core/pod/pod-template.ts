import { fieldAt, fieldOf, isRecord, type JsonRecord, stringOf } from '../json.ts'
import { kueueMarkOf } from './kueue-mark.ts'

/** A pod as a workload would make it, or the pod itself. */
export interface TemplatedPod {
  /** The pod, with its namespace (if the object has one) and an owner that leads to the workload. */
  readonly pod: JsonRecord
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
  /** Key by which Kueue is seen to hold the workload; absent where it is not, and for a pod itself. */
  readonly ownerMark?: string
}

/** Label and annotation of each pod of an indexed Job. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index'

/** Where the pod template is, by kind. */
const templatePaths: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  ReplicationController: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template']
}

/** Kinds from which a pod can be read. */
export const templateKinds = ['Pod', ...Object.keys(templatePaths)] as const

/** The pod that an object is or would make; undefined when it is none of `templateKinds`. */
export function templatedPodOf(raw: unknown): TemplatedPod | undefined {
  const kind = stringOf(raw, 'kind')
  if (kind === undefined || !isRecord(raw)) return undefined
  const metadata = fieldOf(raw, 'metadata')
  const name = nameOf(metadata)
  const namespace = stringOf(metadata, 'namespace')
  if (kind === 'Pod') return { pod: raw, kind, name, namespace }
  const path = Object.hasOwn(templatePaths, kind) ? templatePaths[kind] : undefined
  const template = path === undefined ? undefined : fieldAt(raw, ...path)
  if (!isRecord(template)) return undefined
  const owner = { apiVersion: stringOf(raw, 'apiVersion') ?? '', kind, name, controller: true, uid: '' }
  const made = {
    generateName: `${name}-`,
    namespace,
    ownerReferences: [owner],
    ...indexed(raw, kind, template)
  }
  return { pod: podFrom(template, made), kind, name, namespace, ...ownerMarkOf(metadata) }
}

/** What a workload's own metadata say of Kueue. */
export function ownerMarkOf(metadata: unknown): Pick<TemplatedPod, 'ownerMark'> {
  const ownerMark = kueueMarkOf(metadata)
  return ownerMark === undefined ? {} : { ownerMark }
}

/** Each pod of an indexed Job gets its index. @source https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode */
function indexed(raw: JsonRecord, kind: string, template: JsonRecord): JsonRecord {
  const spec = kind === 'CronJob' ? fieldAt(raw, 'spec', 'jobTemplate', 'spec') : fieldOf(raw, 'spec')
  if (stringOf(spec, 'completionMode') !== 'Indexed') return {}
  const annotations = fieldAt(template, 'metadata', 'annotations')
  return { annotations: { ...(isRecord(annotations) ? annotations : {}), [COMPLETION_INDEX]: '0' } }
}

function nameOf(metadata: unknown): string {
  return stringOf(metadata, 'name') ?? stringOf(metadata, 'generateName') ?? ''
}

/** The pod of a template; `metadata` wins over the template's own. */
export function podFrom(template: JsonRecord, metadata: JsonRecord): JsonRecord {
  const own = fieldOf(template, 'metadata')
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...(isRecord(own) ? own : {}), ...metadata },
    spec: template.spec
  }
}
