import { z } from 'zod'
import { PRODUCT_NAMESPACE, systemNamespaces } from '../core/api/names.ts'
import { LabelName, MetricName, QueryParameter } from './metric-settings.ts'

/** A number, or digits, which is how an environment variable holds one. */
function numberOf(schema: z.ZodType<number>): z.ZodType<number> {
  const toNumber = (value: unknown): unknown =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  return z.preprocess(toNumber, schema)
}

/** true or false, or the word, which is how an environment variable holds it. */
const Flag = z.preprocess(
  (value) =>
    new Map<unknown, unknown>([
      ['true', true],
      ['false', false]
    ]).get(value) ?? value,
  z.boolean({ error: 'must be true or false' })
)

const Port = numberOf(z.int().min(0).max(65_535))
const File = z.string().min(1)

/** A list, or one text with commas, which is how an environment variable holds a list. */
function listOf(entry: z.ZodType<string>): z.ZodType<readonly string[]> {
  const toList = (value: unknown): unknown =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
      : value
  return z.preprocess(toList, z.array(entry))
}

/** @source RFC 1123 label, as Kubernetes demands of a namespace's name */
const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
const NamespaceName = z.string().regex(new RegExp(`^${dnsLabel}$`), 'must be the name of a namespace')
const NamespacePattern = z
  .string()
  .regex(
    new RegExp(`^(${dnsLabel}|[a-z0-9][-a-z0-9]*\\*)$`),
    'must be the name of a namespace, or the start of one followed by *'
  )

const PlainAddress = z.string().refine(isPlainAddress, {
  message: 'must be an http or https address without user and password'
})

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const levels = ['debug', 'info', 'warn', 'error'] as const

const certificateKeepers = ['files', 'managed'] as const

const sources = ['auto', 'prometheus', 'scrape'] as const

/** Settings of a process, webhook or controller; both read one table, so that one file serves both. Each may come from the environment or a file; see `configOptions`. */
export const Config = z
  .strictObject({
    listenHost: z.string().min(1).default('0.0.0.0'),
    listenPort: Port.default(8443),
    healthPort: Port.default(8080),
    certificates: z.enum(certificateKeepers).default('files'),
    tlsCertFile: File.default('/etc/rightslice/tls/tls.crt'),
    tlsKeyFile: File.default('/etc/rightslice/tls/tls.key'),
    clientCaFile: File.optional(),
    clientNames: listOf(z.string().min(1)).default([]),
    kubeconfig: File.optional(),
    ownNamespace: NamespaceName.default(PRODUCT_NAMESPACE),
    systemNamespaces: listOf(NamespacePattern).default([...systemNamespaces, 'gke-managed-*']),
    schedulers: listOf(z.string().min(1)).default(['default-scheduler']),
    logLevel: z.enum(levels).default('info'),
    drainSeconds: numberOf(z.number().min(0).max(600)).default(15),
    driftCheckSeconds: numberOf(z.number().min(60).max(86_400)).default(1800),
    staleSeconds: numberOf(z.number().min(120).max(86_400)).default(300),
    usageSource: z.enum(sources).default('auto'),
    prometheusUrl: PlainAddress.optional(),
    prometheusTokenFile: File.optional(),
    prometheusUsername: z.string().min(1).optional(),
    prometheusPasswordFile: File.optional(),
    prometheusCaFile: File.optional(),
    prometheusCertificateFile: File.optional(),
    prometheusKeyFile: File.optional(),
    prometheusTenant: z.string().min(1).optional(),
    prometheusTenantFile: File.optional(),
    prometheusParameters: listOf(QueryParameter).default([]),
    prometheusTimeoutSeconds: numberOf(z.number().min(1).max(300)).default(30),
    metricNames: listOf(MetricName).default([]),
    ownerLabels: listOf(LabelName).default([]),
    usageSeries: numberOf(z.int().min(1_000).max(1_000_000)).default(60_000),
    refreshSeconds: numberOf(z.number().min(5).max(86_400)).default(300),
    forgetAfterHours: numberOf(z.number().min(0.01).max(8_760)).default(336),
    sweepSeconds: numberOf(z.number().min(5).max(86_400)).default(600),
    policyReports: Flag.default(false),
    otlpEndpoint: PlainAddress.optional(),
    leaseName: NamespaceName.default('rightslice-controller')
  })
  .refine(({ clientCaFile, clientNames }) => clientCaFile !== undefined || clientNames.length === 0, {
    path: ['clientNames'],
    message: 'needs clientCaFile, since a name that nobody vouches for says nothing'
  })
  .refine(({ ownerLabels }) => ownerLabels.length === 0 || ownerLabels.length === 3, {
    path: ['ownerLabels'],
    message: 'must be three names: of the label with the namespace, the pod and the container'
  })

/** Settings of a process, checked and complete. */
export type Config = Readonly<z.infer<typeof Config>>

/** Name of a setting. */
export type ConfigKey = keyof Config

/** What people are told about one setting. */
export interface ConfigOption {
  readonly key: ConfigKey
  /** Environment variable that holds it. */
  readonly variable: string
  /** Unit or form of the value. */
  readonly unit: string
  /** Text of the default; '' when there is none. */
  readonly default: string
  readonly sentence: string
}

const sentences: Readonly<Record<ConfigKey, readonly [unit: string, sentence: string]>> = {
  listenHost: [
    'address',
    'Address that the webhook and the health server listen on; `::` where IPv6 is used.'
  ],
  listenPort: ['port', 'Port of the webhook, HTTPS; 0 takes a free one.'],
  healthPort: ['port', 'Port of health, readiness and metrics, plain HTTP; 0 takes a free one.'],
  certificates: [
    certificateKeepers.join(' | '),
    'Who keeps the certificates: whoever writes the two files, which are read again when they change, or the webhook itself.'
  ],
  tlsCertFile: ['path', 'PEM file with the server certificate, where certificates come from files.'],
  tlsKeyFile: ['path', 'PEM file with the private key of the certificate.'],
  clientCaFile: [
    'path',
    'PEM file with the authority that vouches for API servers; with it whoever shows no certificate of it cannot call. Read at start.'
  ],
  clientNames: [
    'common names',
    'API servers that may call; without any, all that the authority vouches for.'
  ],
  kubeconfig: [
    'path',
    'File that says how to reach the cluster; without it KUBECONFIG or the service account.'
  ],
  ownNamespace: ['name', 'Namespace that this process runs in; its pods are never changed.'],
  systemNamespaces: [
    'names, * at the end stands for the rest',
    'Namespaces whose pods are never changed; the own one is always among them.'
  ],
  schedulers: ['names', 'Values of `schedulerName` whose pods may be changed.'],
  logLevel: [levels.join(' | '), 'Least important lines that are logged.'],
  drainSeconds: [
    'seconds',
    'How long requests are still answered after SIGTERM, until no API server sends any more.'
  ],
  driftCheckSeconds: [
    'seconds',
    'Mean time between two checks of what is held in memory against a fresh list of the cluster; what differs is put right and counted.'
  ],
  staleSeconds: [
    'seconds',
    'How long nothing may be heard of the cluster before pods are rewritten no more; isolation goes on by what is known. The least is 120, since a quiet API server speaks once a minute.'
  ],
  usageSource: [
    sources.join(' | '),
    'Where the controller reads GPU use: the metrics server, every dcgm-exporter itself, or the first of both that gives GPU metrics.'
  ],
  prometheusUrl: [
    'address',
    'Server with the GPU metrics (Prometheus, Thanos, Mimir, VictoriaMetrics), up to the part before `/api/v1`; without it a Service is found by its labels.'
  ],
  prometheusTokenFile: [
    'path',
    'File with the bearer token for that server; read again before each request.'
  ],
  prometheusUsername: ['name', 'User name for basic authentication; goes with the password file.'],
  prometheusPasswordFile: ['path', 'File with the password of that user.'],
  prometheusCaFile: ['path', 'PEM file with the authority that vouches for that server.'],
  prometheusCertificateFile: ['path', 'PEM file with our own certificate, where that server asks for one.'],
  prometheusKeyFile: ['path', 'PEM file with the private key of that certificate.'],
  prometheusTenant: ['name', 'Tenant that is sent as `X-Scope-OrgID`.'],
  prometheusTenantFile: [
    'path',
    'File with that tenant; read again before each request, and stronger than the name.'
  ],
  prometheusParameters: [
    'NAME=VALUE',
    'Further parameters of every query, such as `partial_response=false` for Thanos.'
  ],
  prometheusTimeoutSeconds: ['seconds', 'Longest wait for one whole answer of that server.'],
  metricNames: [
    'NAME=KIND/UNIT',
    'GPU metrics under names of your own, tried before the known ones, such as `acme_fb_bytes=memory/bytes`. KIND is memory (MiB, bytes), memory-ratio, sm-active or gr-engine-active (ratio, percent).'
  ],
  ownerLabels: [
    'label names',
    'Labels that hold namespace, pod and container of a value in that server, in this order, instead of the known ones.'
  ],
  usageSeries: [
    'series',
    'How many series of GPU use are kept, some 1 KiB each: one for every metric of every pod and device of the lookback. With more nothing of what is left out gets smaller.'
  ],
  refreshSeconds: ['seconds', 'Mean time between two refreshes of what is known of workloads.'],
  forgetAfterHours: [
    'hours',
    'How long a workload is remembered after its last pod and sample; longer than the pause between two runs of a CronJob.'
  ],
  sweepSeconds: [
    'seconds',
    'Mean time between two sweeps over the pods that run, for what breaks isolation.'
  ],
  policyReports: [
    'true | false',
    'Whether the controller keeps a policy report in each namespace that opted in, where the cluster serves such reports.'
  ],
  otlpEndpoint: [
    'address',
    'Collector that the webhook sends a trace of each review to, by OTLP over HTTP, up to the part before `/v1/traces`; without it nothing is traced.'
  ],
  leaseName: ['name', 'Lease in the own namespace on which the controllers agree who of them writes.']
}

/** Prefix of every environment variable of the project. */
export const VARIABLE_PREFIX = 'RIGHTSLICE_'

/** `listenPort` is held by `RIGHTSLICE_LISTEN_PORT`. */
export function variableOf(key: string): string {
  return `${VARIABLE_PREFIX}${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** Every setting with variable, unit, default and meaning, in the order of the schema; for help texts and docs. */
export function configOptions(): readonly ConfigOption[] {
  const defaults = Config.parse({})
  return Config.keyof().options.map((key) => {
    const [unit, sentence] = sentences[key]
    return { key, variable: variableOf(key), unit, default: printDefault(defaults[key]), sentence }
  })
}

function printDefault(value: Config[ConfigKey]): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? value.join(',') : String(value)
}
