import { type ExemptionRule, exemptionRules, GpuExemption } from '../core/api/gpu-exemption.ts'
import { API_GROUP, API_VERSION } from '../core/api/names.ts'
import { AppError } from '../core/errors.ts'
import { parseDuration } from '../core/policy/duration.ts'
import { objectYaml } from '../install/object-yaml.ts'

/** What `rightslice exempt` was asked. */
export interface ExemptRequest {
  /** `deployment/embedder`, as kubectl takes it. */
  readonly workload: string
  readonly namespace: string
  readonly rules: readonly string[]
  /** How long, as a duration: `10d`. */
  readonly lasts: string
  readonly reason: string
  /** Name of the object; absent: kind and name of the workload. */
  readonly name?: string
}

/** Short and plural words for kinds, as kubectl takes them. */
const kinds: Readonly<Record<string, readonly [kind: string, apiVersion: string]>> = {
  deployment: ['Deployment', 'apps/v1'],
  deploy: ['Deployment', 'apps/v1'],
  statefulset: ['StatefulSet', 'apps/v1'],
  sts: ['StatefulSet', 'apps/v1'],
  daemonset: ['DaemonSet', 'apps/v1'],
  ds: ['DaemonSet', 'apps/v1'],
  replicaset: ['ReplicaSet', 'apps/v1'],
  rs: ['ReplicaSet', 'apps/v1'],
  job: ['Job', 'batch/v1'],
  cronjob: ['CronJob', 'batch/v1'],
  cj: ['CronJob', 'batch/v1'],
  pod: ['Pod', 'v1'],
  po: ['Pod', 'v1']
}

/**
 * A GpuExemption as YAML, for `kubectl apply -f -` or for Git; nothing is written to a cluster.
 * @throws AppError USAGE_WRONG with what is wrong and what is known
 */
export function exemptionYaml(request: ExemptRequest, nowMs: number): string {
  const workloadRef = readWorkload(request.workload)
  const seconds = parseDuration(request.lasts)
  if (seconds === undefined || seconds === 0)
    throw new AppError('USAGE_WRONG', `--for ${request.lasts}: write a duration such as 10d or 36h`)
  const object = {
    apiVersion: `${API_GROUP}/${API_VERSION}`,
    kind: 'GpuExemption',
    metadata: {
      name: request.name ?? `${workloadRef.kind}-${workloadRef.name}`.toLowerCase(),
      namespace: request.namespace
    },
    spec: {
      rules: [...new Set(request.rules.map(readRule))],
      workloadRef,
      expires: new Date(nowMs + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
      reason: request.reason
    }
  }
  const read = GpuExemption.safeParse(object)
  if (!read.success) throw new AppError('USAGE_WRONG', firstFault(read.error.issues))
  return objectYaml(object)
}

function firstFault([issue]: readonly {
  readonly path: readonly PropertyKey[]
  readonly message: string
}[]): string {
  return issue === undefined ? 'not an exemption' : `${issue.path.map(String).join('.')}: ${issue.message}`
}

function readWorkload(text: string): {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
} {
  const [word = '', name = '', ...rest] = text.split('/')
  if (word === '' || name === '' || rest.length > 0)
    throw new AppError('USAGE_WRONG', `${text}: write KIND/NAME, such as deployment/embedder`)
  const known = Object.entries(kinds).find(
    ([key]) => key === word.toLowerCase().replace(/s$/, '') || key === word
  )
  if (known === undefined) return { kind: word, name }
  const [, [kind, apiVersion]] = known
  return { apiVersion, kind, name }
}

function readRule(text: string): ExemptionRule {
  const rule = exemptionRules.find((known) => known.toLowerCase() === text.toLowerCase())
  if (rule !== undefined) return rule
  throw new AppError('USAGE_WRONG', `--rule ${text}: known are ${exemptionRules.join(', ')}`)
}
