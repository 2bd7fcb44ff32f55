import { RULES_CONFIG_MAP } from '../core/api/names.ts'
import type { RulesWriter } from '../ports/rules-writer.ts'
import { serverSideApply } from './apply.ts'
import type { KubeConnection } from './connection.ts'
import type { KubeRequest } from './exchange.ts'
import { KubeError } from './kube-error.ts'

/** Limit for one write, ms. */
const TIMEOUT_MS = 10_000

/**
 * Writes the table as the data of a ConfigMap of our namespace, as a whole: what somebody else put in is gone, while labels and
 * annotations stay. The same table twice changes nothing, so that it may be sent often.
 */
export function rulesConfigMap(connection: Pick<KubeConnection, 'request'>, namespace: string): RulesWriter {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${RULES_CONFIG_MAP}`
  const send = async (request: KubeRequest): Promise<void> => {
    const answer = await connection.request({ ...request, timeoutMs: TIMEOUT_MS })
    await answer.json()
  }
  return {
    write: async (table, signal) => {
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: RULES_CONFIG_MAP,
          namespace,
          labels: {
            'app.kubernetes.io/name': 'rightslice',
            'app.kubernetes.io/component': 'admission-policy'
          }
        },
        data: table
      }
      try {
        const replacing = [{ op: 'add', path: '/data', value: table }]
        const headers = { 'content-type': 'application/json-patch+json' }
        await send({ method: 'PATCH', path, headers, body: replacing, signal })
      } catch (error) {
        if (!(error instanceof KubeError && error.status === 404)) throw error
        // Applying names what it creates, so that the right to do so can be bound to this one name.
        await send({ ...serverSideApply(path, body), signal })
      }
    }
  }
}
