/** Prefix of every label, annotation and taint of the project. */
export const PREFIX = 'rightslice.dev/'

/** API group and version of the custom resources. */
export const API_GROUP = 'rightslice.dev'
export const API_VERSION = 'v1alpha1'

/** Labels that an admin puts on a namespace. */
export const namespaceLabels = {
  /** `off`, `warn` or `enforce`: whether pods of the namespace are looked at. */
  rightsize: `${PREFIX}rightsize`,
  /** `hardware` (default) or `shared-ok`: whether its pods may share memory and faults with others. */
  isolation: `${PREFIX}isolation`
} as const

/** Annotations that a user puts on a pod or pod template. */
export const userAnnotations = {
  pin: `${PREFIX}pin`,
  minMemory: `${PREFIX}min-memory`,
  headroom: `${PREFIX}headroom`,
  sharing: `${PREFIX}sharing`,
  doNotMove: `${PREFIX}do-not-move`,
  reason: `${PREFIX}reason`
} as const

/** Annotations that the webhook writes; never trusted on input. */
export const ownAnnotations = {
  decision: `${PREFIX}decision`,
  explain: `${PREFIX}explain`,
  originalResources: `${PREFIX}original-resources`,
  snapshot: `${PREFIX}snapshot`
} as const

/** Label that the webhook writes on a rewritten pod: `mig-1g.10gb` or `shared`. */
export const sliceLabel = `${PREFIX}slice`

/** Kubernetes' own label that holds a namespace's name. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name'

/** Names under which the webhooks are registered; audit annotations get them as a prefix. */
export const webhookNames = {
  rewrite: `rewrite.${API_GROUP}`,
  isolation: `isolation.${API_GROUP}`,
  advice: `advice.${API_GROUP}`
} as const

/** Name of the Service by which the API server calls the webhooks. */
export const webhookService = 'rightslice'

/** Name of the Secret with the certificate authorities, in our own namespace. */
export const authoritySecret = 'rightslice-webhook-ca'

/** The configurations that our webhooks are registered in. */
export const webhookConfigurations = [
  { kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations', name: 'zz-rightslice' },
  {
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    name: 'rightslice-isolation'
  },
  {
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    name: 'rightslice-advice'
  }
] as const

/** One of `webhookConfigurations`. */
export type WebhookConfiguration = (typeof webhookConfigurations)[number]
