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

/** Annotations that the controller writes on a node whose layout it changes. */
export const nodeAnnotations = {
  plan: `${PREFIX}plan`,
  previousMigConfig: `${PREFIX}previous-mig-config`
} as const

/** Key of the taint on a node while its layout is changed. */
export const repartitioningTaint = `${PREFIX}repartitioning`

/** Namespace that the manifests install into. */
export const PRODUCT_NAMESPACE = 'rightslice-system'

/** Service accounts of the processes, in `PRODUCT_NAMESPACE`. */
export const serviceAccounts = { webhook: 'rightslice-webhook', controller: 'rightslice-controller' } as const

/** Name under which the fields that the controller writes are ours. */
export const FIELD_MANAGER = 'rightslice-controller'

/** Namespaces, besides our own, whose pods are never looked at. */
export const systemNamespaces = [
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'gpu-operator',
  'nvidia-gpu-operator'
] as const

/** Verb on `gpupolicies` that lets a user take a namespace out of isolation. */
export const OPT_OUT_VERB = 'optout'

/** Names of the policies that the API server checks by itself; one for several shapes of objects adds a suffix. */
export const admissionPolicyNames = {
  isolation: 'rightslice-isolation',
  exemptions: 'rightslice-exemptions',
  reservedKeys: 'rightslice-reserved-keys',
  optIn: 'rightslice-opt-in'
} as const

/** ConfigMap in `PRODUCT_NAMESPACE` from which the policies know levels and exemptions. */
export const RULES_CONFIG_MAP = 'rightslice-rules'

/** Verb on `gpuexemptions` that lets a user grant an exemption from an isolation rule. */
export const APPROVE_VERB = 'approve'

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
