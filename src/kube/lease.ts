import { fieldOf, stringOf } from '../core/json.ts'
import type { LeaseCall, LeaseRecord, LeaseStore, LeaseWrite, StoredLease } from '../ports/lease.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'

/** Which Lease. */
export interface LeaseName {
  readonly namespace: string
  readonly name: string
}

/**
 * A Lease object of the cluster.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
 */
export function leaseIn(
  connection: Pick<KubeConnection, 'request'>,
  { namespace, name }: LeaseName
): LeaseStore {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`
  const path = `${collection}/${encodeURIComponent(name)}`
  const bodyOf = (record: LeaseRecord, version?: string): unknown => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name, ...(version === undefined ? {} : { resourceVersion: version }) },
    spec: specOf(record)
  })
  return {
    read: async (call) => {
      const found = await unless(404, connection.request({ method: 'GET', path, ...limitsOf(call) }))
      return found === undefined ? undefined : readLease(await found.json())
    },
    create: async (record, call) => {
      const body = bodyOf(record)
      return writeOf(
        await unless(409, connection.request({ method: 'POST', path: collection, body, ...limitsOf(call) }))
      )
    },
    update: async ({ version }, record, call) => {
      const body = bodyOf(record, version)
      return writeOf(await unless(409, connection.request({ method: 'PUT', path, body, ...limitsOf(call) })))
    }
  }
}

type Answer = Awaited<ReturnType<KubeConnection['request']>>

/** The answer, or undefined when it is the one refusal that is expected. */
async function unless(status: number, answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof KubeError && error.status === status) return undefined
    throw error
  }
}

async function writeOf(answer: Answer | undefined): Promise<LeaseWrite> {
  return answer === undefined
    ? { kind: 'conflict' }
    : { kind: 'stored', lease: readLease(await answer.json()) }
}

function limitsOf({ timeoutMs, signal }: LeaseCall): { timeoutMs: number; signal?: AbortSignal } {
  return signal === undefined ? { timeoutMs } : { timeoutMs, signal }
}

function readLease(raw: unknown): StoredLease {
  const spec = fieldOf(raw, 'spec')
  return {
    record: {
      holder: stringOf(spec, 'holderIdentity') ?? '',
      durationSeconds: numberIn(spec, 'leaseDurationSeconds'),
      acquiredMs: timeIn(spec, 'acquireTime'),
      renewedMs: timeIn(spec, 'renewTime'),
      transitions: numberIn(spec, 'leaseTransitions')
    },
    version: stringOf(fieldOf(raw, 'metadata'), 'resourceVersion') ?? ''
  }
}

function specOf(record: LeaseRecord): unknown {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: microTime(record.acquiredMs),
    renewTime: microTime(record.renewedMs),
    leaseTransitions: record.transitions
  }
}

/** Kubernetes' MicroTime has six digits after the second. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

function numberIn(value: unknown, key: string): number {
  const field = fieldOf(value, key)
  return typeof field === 'number' && Number.isFinite(field) ? field : 0
}

function timeIn(value: unknown, key: string): number {
  const ms = Date.parse(stringOf(value, key) ?? '')
  return Number.isNaN(ms) ? 0 : ms
}
