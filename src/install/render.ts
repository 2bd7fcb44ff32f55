import { variableOf } from '../config/schema.ts'
import { PRODUCT_NAMESPACE, serviceAccounts } from '../core/api/names.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf, stringsOf } from '../core/json.ts'
import type { InstallValues } from './values.ts'

/** Where an object of the manifests belongs. */
export type Origin = 'base' | 'cert-manager' | 'pod-monitor'

/** An object of the manifests, with the file that it is written in. */
export interface SourceObject {
  readonly origin: Origin
  /** Name of the file without its folder, such as `deployment.yaml`. */
  readonly file: string
  readonly object: JsonRecord
}

/** Name that the manifests have for the image. */
const IMAGE_NAME = 'rightslice'

/** Group of the configurations that the webhook patches when it keeps its certificates itself. */
const REGISTRATION_GROUP = 'admissionregistration.k8s.io'

/** What an installation consists of, in the order in which it is applied. */
export function renderInstallation(
  sources: readonly SourceObject[],
  values: InstallValues
): readonly JsonRecord[] {
  return inApplyOrder(sources).flatMap((source) => {
    const object = renderObject(source, values)
    return object === undefined ? [] : [object]
  })
}

/** Before the first Deployment comes what its pods need; last of all somebody is asked about pods. */
export function inApplyOrder(sources: readonly SourceObject[]): readonly SourceObject[] {
  const base = sources.filter(({ origin }) => origin === 'base')
  const others = sources.filter(({ origin }) => origin !== 'base')
  const start = base.findIndex(({ object }) => object['kind'] === 'Deployment')
  return [...base.slice(0, start), ...others, ...base.slice(start)]
}

/** An object as the values want it; undefined: it is left out. */
export function renderObject(source: SourceObject, values: InstallValues): JsonRecord | undefined {
  return isWanted(source, values) ? adapt(source.object, values) : undefined
}

function isWanted({ origin, object }: SourceObject, values: InstallValues): boolean {
  if (origin === 'cert-manager') return values.certificates === 'cert-manager'
  if (origin === 'pod-monitor') return values.podMonitor
  if (object['kind'] === 'NetworkPolicy') return values.networkPolicy
  return values.certificates === 'managed' || !isRightToAuthorities(object)
}

/** Rights in our own namespace that only a webhook needs which keeps its authorities itself. */
function isRightToAuthorities(object: JsonRecord): boolean {
  return (
    ['Role', 'RoleBinding'].includes(String(object['kind'])) && nameOf(object) === serviceAccounts.webhook
  )
}

function adapt(object: JsonRecord, values: InstallValues): JsonRecord {
  if (object['kind'] === 'Deployment') return adaptDeployment(object, values)
  if (values.certificates === 'managed') return object
  if (object['kind'] === 'ClusterRole' && nameOf(object) === serviceAccounts.webhook) {
    const rules = listOf(object, 'rules')
    return {
      ...object,
      rules: rules.filter((rule) => !stringsOf(rule, 'apiGroups').includes(REGISTRATION_GROUP))
    }
  }
  return String(object['kind']).endsWith('WebhookConfiguration') ? withInjectedAuthority(object) : object
}

function withInjectedAuthority(object: JsonRecord): JsonRecord {
  const annotations = { 'cert-manager.io/inject-ca-from': `${PRODUCT_NAMESPACE}/${serviceAccounts.webhook}` }
  return { ...object, metadata: { ...recordAt(object, 'metadata'), annotations } }
}

function adaptDeployment(object: JsonRecord, values: InstallValues): JsonRecord {
  const isWebhook = nameOf(object) === serviceAccounts.webhook
  const template = recordAt(object, 'spec', 'template')
  const podSpec = recordAt(template, 'spec')
  const fromFiles = isWebhook && values.certificates === 'cert-manager'
  const containers = listOf(podSpec, 'containers').map((container) => {
    const adapted = adaptContainer(container, values)
    return fromFiles ? withCertificateFiles(adapted) : adapted
  })
  const volumes = fromFiles ? { volumes: [certificateVolume] } : {}
  return {
    ...object,
    spec: {
      ...recordAt(object, 'spec'),
      replicas: isWebhook ? values.webhookReplicas : values.controllerReplicas,
      template: { ...template, spec: { ...podSpec, containers, ...volumes } }
    }
  }
}

function adaptContainer(container: unknown, { image, settings }: InstallValues): JsonRecord {
  const chosen = Object.entries(settings).map(([key, value]) => ({
    name: variableOf(key),
    value: String(value)
  }))
  const used = stringOf(container, 'image') === IMAGE_NAME ? { image } : {}
  return { ...recordAt(container), ...used, env: [...listOf(container, 'env'), ...chosen] }
}

const certificateVolume = {
  name: 'tls',
  secret: { secretName: 'rightslice-webhook-tls', defaultMode: 0o440 }
} as const

function withCertificateFiles(container: JsonRecord): JsonRecord {
  const env = listOf(container, 'env').map((entry) =>
    stringOf(entry, 'name') === variableOf('certificates') ? { ...recordAt(entry), value: 'files' } : entry
  )
  return {
    ...container,
    env,
    volumeMounts: [{ name: 'tls', mountPath: '/etc/rightslice/tls', readOnly: true }]
  }
}

function nameOf(object: unknown): string {
  return stringOf(fieldOf(object, 'metadata'), 'name') ?? ''
}

function recordAt(object: unknown, ...path: readonly string[]): JsonRecord {
  const found = path.length === 0 ? object : fieldAt(object, ...path)
  return isRecord(found) ? found : {}
}
