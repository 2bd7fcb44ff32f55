import { API_GROUP, API_VERSION } from '../core/api/names.ts'
import { AppError } from '../core/errors.ts'
import type { JsonRecord } from '../core/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { ObjectName, ObjectWriter, WrittenKind } from '../ports/object-writer.ts'
import { Backoff, pauseAfter } from './backoff.ts'
import type { KubeConnection } from './connection.ts'
import type { KubeRequest } from './exchange.ts'
import { KubeError } from './kube-error.ts'

/** Name under which the fields that we write are ours. */
export const FIELD_MANAGER = 'rightslice-controller'

/** Limit for one write, ms. */
const WRITE_TIMEOUT_MS = 10_000

/** How often one write is sent at most: at first, and after pauses of up to 0.5, 1 and 2 s or what the server asks for. */
const ATTEMPTS = 4

const plurals: Readonly<Record<WrittenKind, string>> = {
  GpuWorkload: 'gpuworkloads',
  GpuPolicy: 'gpupolicies',
  GpuExemption: 'gpuexemptions'
}

/** What writing needs. */
export interface WriterParts {
  readonly connection: Pick<KubeConnection, 'request'>
  readonly clock: Clock
  /** 0 to 1, spreads pauses. */
  readonly random: () => number
}

/**
 * Writes by server-side apply, which is safe to repeat: the same request twice leaves the same object.
 * @source https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function createWriter(parts: WriterParts): ObjectWriter {
  return {
    applySpec: async (object, spec, signal) => {
      await send(parts, applyRequest(object, '', { spec }), signal)
    },
    applyStatus: (object, status, signal) =>
      exists(send(parts, applyRequest(object, '/status', { status }), signal)),
    remove: async (object, signal) => {
      await exists(send(parts, { method: 'DELETE', path: pathOf(object) }, signal))
    }
  }
}

function pathOf({ kind, namespace, name }: ObjectName): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `/apis/${API_GROUP}/${API_VERSION}${scope}/${plurals[kind]}/${encodeURIComponent(name)}`
}

/** JSON is YAML, so it may be sent as what server-side apply asks for. */
function applyRequest(object: ObjectName, subresource: '' | '/status', fields: JsonRecord): KubeRequest {
  const { kind, namespace, name } = object
  return {
    method: 'PATCH',
    path: `${pathOf(object)}${subresource}`,
    query: { fieldManager: FIELD_MANAGER, force: true },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: {
      apiVersion: `${API_GROUP}/${API_VERSION}`,
      kind,
      metadata: { name, ...(namespace === '' ? {} : { namespace }) },
      ...fields
    }
  }
}

/** false instead of the refusal that says that there is no such object. */
async function exists(sending: Promise<void>): Promise<boolean> {
  try {
    await sending
    return true
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return false
    throw error
  }
}

async function send(parts: WriterParts, request: KubeRequest, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(parts.random)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await parts.connection.request({ ...request, signal, timeoutMs: WRITE_TIMEOUT_MS })
      await answer.json() // read to the end, so that the connection can serve again
      return
    } catch (error) {
      if (attempt >= ATTEMPTS || signal.aborted || !isWorthRepeating(error)) throw error
      await parts.clock.sleep(pauseAfter(error, backoff, parts.random), signal)
      if (signal.aborted) throw error
    }
  }
}

/** No answer, too many requests, a conflict with a writer that was faster, or a fault of the server. */
function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof KubeError)) return error instanceof AppError && error.code === 'KUBE_UNREACHABLE'
  return error.status === 409 || error.status === 429 || error.status >= 500
}
