import type { JsonRecord } from '../../../src/core/json.ts'

/** What a pod template carries. */
export interface Carried {
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
}

interface TemplateKind {
  readonly kind: string
  /** Path of its collection, without the namespace. */
  readonly api: string
  readonly plural: string
  readonly toSpec: (template: JsonRecord) => JsonRecord
  /** A change that a user makes without touching the template. */
  readonly tuning: JsonRecord
}

const selector = { selector: { matchLabels: { app: 'a' } } }
const scaled = { spec: { replicas: 2 } }

/** Kinds of Kubernetes that hold a pod template. */
export const kinds: readonly TemplateKind[] = [
  {
    kind: 'Deployment',
    api: '/apis/apps/v1',
    plural: 'deployments',
    toSpec: (template) => ({ ...selector, replicas: 1, template }),
    tuning: scaled
  },
  {
    kind: 'StatefulSet',
    api: '/apis/apps/v1',
    plural: 'statefulsets',
    toSpec: (template) => ({ ...selector, replicas: 1, serviceName: 'a', template }),
    tuning: scaled
  },
  {
    kind: 'DaemonSet',
    api: '/apis/apps/v1',
    plural: 'daemonsets',
    toSpec: (template) => ({ ...selector, template }),
    tuning: { spec: { minReadySeconds: 1 } }
  },
  {
    kind: 'ReplicaSet',
    api: '/apis/apps/v1',
    plural: 'replicasets',
    toSpec: (template) => ({ ...selector, replicas: 1, template }),
    tuning: scaled
  },
  {
    kind: 'ReplicationController',
    api: '/api/v1',
    plural: 'replicationcontrollers',
    toSpec: (template) => ({ selector: { app: 'a' }, replicas: 1, template }),
    tuning: scaled
  },
  {
    kind: 'Job',
    api: '/apis/batch/v1',
    plural: 'jobs',
    toSpec: (template) => ({ suspend: true, template: once(template) }),
    tuning: { spec: { parallelism: 2 } }
  },
  {
    kind: 'CronJob',
    api: '/apis/batch/v1',
    plural: 'cronjobs',
    toSpec: (template) => ({
      schedule: '0 0 1 1 *',
      suspend: true,
      jobTemplate: { spec: { template: once(template) } }
    }),
    tuning: { spec: { schedule: '0 0 2 1 *' } }
  }
]

function once(template: JsonRecord): JsonRecord {
  return { ...template, spec: { ...Object(template['spec']), restartPolicy: 'Never' } }
}

function templateOf({ annotations = {}, labels = {} }: Carried): JsonRecord {
  return {
    metadata: { annotations, labels: { app: 'a', ...labels } },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] }
  }
}

/** An object of a kind whose template carries something. */
export function objectOf({ toSpec }: TemplateKind, name: string, carried: Carried): JsonRecord {
  return { metadata: { name }, spec: toSpec(templateOf(carried)) }
}

/** A merge patch of the metadata of an object's template; null takes a key away. */
export function templatePatch(kind: TemplateKind, metadata: JsonRecord): JsonRecord {
  const template = { metadata }
  return kind.kind === 'CronJob' ? { spec: { jobTemplate: { spec: { template } } } } : { spec: { template } }
}

/** Path of the collection of a kind in a namespace. */
export function collectionOf({ api, plural }: TemplateKind, namespace: string): string {
  return `${api}/namespaces/${namespace}/${plural}`
}
