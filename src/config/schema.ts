import { z } from 'zod'

/** A number, or digits, which is how an environment variable holds one. */
function numberOf(schema: z.ZodType<number>): z.ZodType<number> {
  const toNumber = (value: unknown): unknown =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  return z.preprocess(toNumber, schema)
}

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

const levels = ['debug', 'info', 'warn', 'error'] as const

/** Settings of the webhook process. Each may come from the environment or a file; see `configOptions`. */
export const Config = z.strictObject({
  listenHost: z.string().min(1).default('0.0.0.0'),
  listenPort: Port.default(8443),
  healthPort: Port.default(8080),
  tlsCertFile: File.default('/etc/rightslice/tls/tls.crt'),
  tlsKeyFile: File.default('/etc/rightslice/tls/tls.key'),
  kubeconfig: File.optional(),
  ownNamespace: NamespaceName.default('rightslice-system'),
  systemNamespaces: listOf(NamespacePattern).default([
    'kube-system',
    'kube-public',
    'kube-node-lease',
    'gpu-operator',
    'nvidia-gpu-operator',
    'gke-managed-*'
  ]),
  schedulers: listOf(z.string().min(1)).default(['default-scheduler']),
  logLevel: z.enum(levels).default('info'),
  drainSeconds: numberOf(z.number().min(0).max(600)).default(15)
})

/** Settings of the webhook process, checked and complete. */
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
  tlsCertFile: ['path', 'PEM file with the server certificate.'],
  tlsKeyFile: ['path', 'PEM file with the private key of the certificate.'],
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
  ]
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
