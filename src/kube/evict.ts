import { fieldAt } from '../core/json.ts'
import type { EvictedPod, EvictionOutcome, PodEvictor } from '../ports/pod-evictor.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'

/** Limit for one call, ms. */
const TIMEOUT_MS = 10_000

/** Tries of a Job that says nothing. @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy */
const USUAL_BACKOFF_LIMIT = 6

/**
 * Evictions in the cluster behind a connection. They are not repeated here: who asks looks again later.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export function podEvictor(connection: Pick<KubeConnection, 'request'>): PodEvictor {
  return {
    evict: (pod, signal) => evict(connection, pod, signal),
    jobTriesLeft: async (namespace, name, signal) => {
      const path = `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs/${encodeURIComponent(name)}`
      try {
        const answer = await connection.request({ method: 'GET', path, signal, timeoutMs: TIMEOUT_MS })
        return triesLeft(await answer.json())
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return 0
        throw error
      }
    }
  }
}

async function evict(
  connection: Pick<KubeConnection, 'request'>,
  { namespace, name, uid }: EvictedPod,
  signal: AbortSignal
): Promise<EvictionOutcome> {
  const pods = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  try {
    const answer = await connection.request({
      method: 'POST',
      path: `${pods}/${encodeURIComponent(name)}/eviction`,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name },
        deleteOptions: { preconditions: { uid } }
      },
      signal,
      timeoutMs: TIMEOUT_MS
    })
    await answer.json()
    return 'evicted'
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    if (error.status === 404 || error.status === 409) return 'gone' // 409: another pod has its name by now
    if (error.status === 429) return 'blocked'
    throw error
  }
}

/** A Job with a limit for each index fails no other index, but loses that one when it has no more tries. */
function triesLeft(job: unknown): number {
  const perIndex = fieldAt(job, 'spec', 'backoffLimitPerIndex')
  if (typeof perIndex === 'number') return perIndex
  const limit = fieldAt(job, 'spec', 'backoffLimit')
  const failed = fieldAt(job, 'status', 'failed')
  return (typeof limit === 'number' ? limit : USUAL_BACKOFF_LIMIT) - (typeof failed === 'number' ? failed : 0)
}
