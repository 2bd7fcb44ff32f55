import { stringOf } from '../core/json.ts'
import type { InstallationReader, Probe, Sight } from '../ports/installation-reader.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError, serverMs } from './kube-error.ts'
import { configurationPath } from './webhook-trust.ts'

type Requests = Pick<KubeConnection, 'request'>

/** Limit for one exchange, ms; a probe waits for webhooks. */
const CALL_MS = 15_000

/** Reads the installation in a namespace of the cluster behind a connection. */
export function installationReader(connection: Requests, namespace: string): InstallationReader {
  const own = encodeURIComponent(namespace)
  const look = (path: string, signal: AbortSignal): Promise<Sight> => see(connection, path, signal)
  return {
    version: async (signal) => {
      const answer = await connection.request({ method: 'GET', path: '/version', signal, timeoutMs: CALL_MS })
      const version = stringOf(await answer.json(), 'gitVersion') ?? ''
      return { version, serverMs: serverMs(answer.headers['date']) }
    },
    configuration: (configuration, signal) => look(configurationPath(configuration), signal),
    customResource: (name, signal) =>
      look(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(name)}`, signal),
    deployment: (name, signal) => look(`/apis/apps/v1/namespaces/${own}/deployments/${name}`, signal),
    secret: (name, signal) => look(`/api/v1/namespaces/${own}/secrets/${name}`, signal),
    probe: (labels, signal) => probe(connection, labels, signal)
  }
}

async function see(connection: Requests, path: string, signal: AbortSignal): Promise<Sight> {
  try {
    const answer = await connection.request({ method: 'GET', path, signal, timeoutMs: CALL_MS })
    return { kind: 'seen', object: await answer.json() }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    if (error.status === 404) return { kind: 'absent' }
    if (error.status === 403) return { kind: 'forbidden' }
    throw error
  }
}

async function probe(
  connection: Requests,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal
): Promise<Probe> {
  const metadata = { generateName: 'rightslice-check-', labels }
  try {
    const answer = await connection.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      query: { dryRun: 'All' },
      body: { apiVersion: 'v1', kind: 'Namespace', metadata },
      signal,
      timeoutMs: CALL_MS
    })
    await answer.json() // read to the end, so that the connection can serve again
    return { kind: 'passed', warnings: [answer.headers['warning'] ?? []].flat().flatMap(warningTexts) }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    const words = error.message.replace(/^.*? status \d+: /s, '')
    return error.status === 403 ? { kind: 'forbidden' } : { kind: 'refused', message: words }
  }
}

/** The quoted texts of a `Warning` header: `299 - "text"`. @source RFC 7234 section 5.5 */
function warningTexts(header: string): readonly string[] {
  return [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1')
  )
}
