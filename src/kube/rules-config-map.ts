import { RULES_CONFIG_MAP } from '../core/api/names.ts'
import type { RulesWriter } from '../ports/rules-writer.ts'
import { FIELD_MANAGER } from './apply.ts'
import type { KubeConnection } from './connection.ts'

/** Limit for one write, ms. */
const TIMEOUT_MS = 10_000

/**
 * Writes the table as a ConfigMap of our namespace, by server-side apply: the same table twice changes nothing, so that it
 * may be sent often and puts right what somebody else did.
 */
export function rulesConfigMap(connection: Pick<KubeConnection, 'request'>, namespace: string): RulesWriter {
  return {
    write: async (table, signal) => {
      const answer = await connection.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${RULES_CONFIG_MAP}`,
        query: { fieldManager: FIELD_MANAGER, force: true },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: RULES_CONFIG_MAP, namespace },
          data: table
        },
        signal,
        timeoutMs: TIMEOUT_MS
      })
      await answer.json()
    }
  }
}
