import { fieldOf, stringMapOf, stringOf } from '../core/json.ts'
import type { SecretStore, SecretWrite, StoredSecret } from '../ports/secret-store.ts'
import type { KubeConnection } from './connection.ts'
import type { KubeRequest } from './exchange.ts'
import { KubeError, serverMs } from './kube-error.ts'

/** By these whoever removes an installation finds it. */
const labels = { 'app.kubernetes.io/name': 'rightslice', 'app.kubernetes.io/component': 'webhook' }

/** Limit for one exchange, ms. */
const CALL_MS = 10_000

/**
 * A Secret of the cluster.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/secret-v1/
 */
export function secretIn(
  connection: Pick<KubeConnection, 'request'>,
  { namespace, name }: { readonly namespace: string; readonly name: string }
): SecretStore {
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`
  const path = `${collection}/${encodeURIComponent(name)}`
  const send = (request: KubeRequest, signal: AbortSignal) =>
    connection.request({ ...request, signal, timeoutMs: CALL_MS })
  return {
    read: async (signal) => {
      try {
        const answer = await send({ method: 'GET', path }, signal)
        return { secret: readSecret(await answer.json()), serverMs: serverMs(answer.headers['date']) }
      } catch (error) {
        if (!(error instanceof KubeError && error.status === 404)) throw error
        return { secret: undefined, serverMs: error.serverMs }
      }
    },
    write: (over, data, signal) => {
      if (over !== undefined) return unlessConflict(send(patchOf(path, over, data), signal))
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, labels }, type: 'Opaque' }
      return unlessConflict(
        send({ method: 'POST', path: collection, body: { ...body, data: encoded(data) } }, signal)
      )
    }
  }
}

/** Keys that go are set to null; the version makes it a conflict when somebody else wrote. */
function patchOf(path: string, over: StoredSecret, data: Readonly<Record<string, string>>): KubeRequest {
  const gone = Object.keys(over.data).filter((key) => !Object.hasOwn(data, key))
  return {
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: {
      metadata: { resourceVersion: over.version },
      data: { ...Object.fromEntries(gone.map((key) => [key, null])), ...encoded(data) }
    }
  }
}

/** A Secret that was deleted in the meantime is a conflict like any other. */
async function unlessConflict(answer: ReturnType<KubeConnection['request']>): Promise<SecretWrite> {
  try {
    await (await answer).json() // read to the end, so that the connection can serve again
    return 'stored'
  } catch (error) {
    if (error instanceof KubeError && (error.status === 409 || error.status === 404)) return 'conflict'
    throw error
  }
}

function readSecret(raw: unknown): StoredSecret {
  const data = Object.entries(stringMapOf(raw, 'data')).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const
  )
  const version = stringOf(fieldOf(raw, 'metadata'), 'resourceVersion') ?? ''
  return { data: Object.fromEntries(data), version }
}

function encoded(data: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(data).map(
    ([key, value]) => [key, Buffer.from(value).toString('base64')] as const
  )
  return Object.fromEntries(entries)
}
