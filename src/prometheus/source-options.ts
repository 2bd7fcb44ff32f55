import { AppError } from '../core/errors.ts'
import type { MetricDialect, OwnerLabels } from '../core/usage/dialect.ts'

/** Files that hold what proves who we are; each is read again before a request, so that a rotated one is used at once. */
export interface AccessFiles {
  /** Token sent as `Authorization: Bearer`. */
  readonly bearerTokenFile?: string
  /** User name for basic authentication; goes with `passwordFile`. */
  readonly username?: string
  readonly passwordFile?: string
  /** Certificates (PEM) that vouch for the server; without it those of the system. */
  readonly caFile?: string
  /** Our own certificate and key (PEM), for servers that ask for one. */
  readonly certificateFile?: string
  readonly keyFile?: string
  /** Tenant sent as `X-Scope-OrgID` (Mimir and what descends from Cortex). */
  readonly tenant?: string
  readonly tenantFile?: string
}

/** Bounds of what a reading may cost; each has a default that suits 5,000 workloads. */
export interface SourceLimits {
  /** For one request and its whole answer, ms. Default 30 000. */
  readonly requestTimeoutMs: number
  /** For one reading, ms; what is not asked by then is a gap. Default 300 000. */
  readonly readingTimeoutMs: number
  /** Requests at the same time. Default 2. */
  readonly concurrency: number
  /** Largest answer, bytes; a larger one is cut off and its question split. Default 8 MiB. */
  readonly answerBytes: number
  /** All answers of one reading together, bytes. Default 1 GiB. */
  readonly readingBytes: number
  /** Series that are kept; more are counted and dropped, and the reading is partial. Default 60 000. */
  readonly series: number
  /** How often a request is sent at most when the server is busy or the connection breaks. Default 3. */
  readonly attempts: number
  /** Namespaces in one query. Default 10: smaller answers live and die in less memory. */
  readonly namespacesPerPage: number
}

/** Defaults of `SourceLimits`. */
export const defaultLimits: SourceLimits = {
  requestTimeoutMs: 30_000,
  readingTimeoutMs: 300_000,
  concurrency: 2,
  answerBytes: 8 * 1024 * 1024,
  readingBytes: 1024 * 1024 * 1024,
  series: 60_000,
  attempts: 3,
  namespacesPerPage: 10
}

/** How a Prometheus-compatible server is asked. */
export interface PrometheusOptions {
  /** Address up to the part before `/api/v1`, http or https, without user or password. */
  readonly url: string
  readonly access?: AccessFiles
  readonly limits?: Partial<SourceLimits>
  /** Further parameters of every query, such as Thanos' `partial_response: 'false'`. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Metrics under names of the user's own, tried before the known ones. */
  readonly metrics?: readonly MetricDialect[]
  /** Labels of the user's own that tell the owner, instead of the known families. */
  readonly ownerLabels?: OwnerLabels
  /** Gives numbers from 0 to 1 for the pauses between repeats; default Math.random. */
  readonly random?: () => number
}

/**
 * The address, ready to be extended by `/api/v1/…`.
 * @throws AppError CONFIG_INVALID
 */
export function readBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AppError('CONFIG_INVALID', `metrics address "${text}": not an http or https address`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError('CONFIG_INVALID', `metrics address of ${url.host}: put user and password into files`)
  }
  if (url.search !== '' || url.hash !== '') {
    throw new AppError('CONFIG_INVALID', `metrics address "${text}": has a query or a fragment`)
  }
  return url
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/**
 * Refuses names of metrics and labels that would not be read as names in a query.
 * @throws AppError CONFIG_INVALID
 */
export function checkNames({ metrics = [], ownerLabels }: PrometheusOptions): void {
  const bad = metrics.find(({ name }) => !metricName.test(name))
  if (bad !== undefined) throw new AppError('CONFIG_INVALID', `metric "${bad.name}": not a metric name`)
  const labels =
    ownerLabels === undefined ? [] : [ownerLabels.namespace, ownerLabels.pod, ownerLabels.container]
  const label = labels.find((name) => !labelName.test(name))
  if (label !== undefined) throw new AppError('CONFIG_INVALID', `label "${label}": not a label name`)
}
