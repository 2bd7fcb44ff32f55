import { fieldAt, fieldOf, isRecord, type JsonRecord, stringOf } from '../core/json.ts'
import { KubeError, refusalMessage, retryAfterMs, StreamBroken } from './kube-error.ts'

/** One line of a watch that tells of an object or of progress. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: JsonRecord
  /** Version after this event, opaque: the place to go on from. */
  readonly resourceVersion: string
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads one line of a watch of the collection at `path`.
 * @throws KubeError for an ERROR event (KUBE_EXPIRED for code 410); StreamBroken when the line is not what it should be
 * @source https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export function parseWatchLine(path: string, line: Uint8Array): WatchEvent {
  const event = parseJson(path, line)
  const type = fieldOf(event, 'type')
  const object = fieldOf(event, 'object')
  if (!isRecord(object)) throw new StreamBroken(path, 'an event has no object')
  if (type === 'ERROR') throw errorEvent(path, object)
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
    throw new StreamBroken(path, `unknown event type ${JSON.stringify(type)}`)
  }
  const resourceVersion = stringOf(fieldOf(object, 'metadata'), 'resourceVersion')
  if (resourceVersion === undefined) throw new StreamBroken(path, `${type} event without resourceVersion`)
  return { type, object, resourceVersion }
}

function parseJson(path: string, line: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(line))
  } catch (cause) {
    throw new StreamBroken(path, `a line of ${line.length} bytes is not JSON in UTF-8`, cause)
  }
}

function errorEvent(path: string, status: JsonRecord): KubeError {
  const code = fieldAt(status, 'code')
  return new KubeError({
    method: 'GET',
    path,
    status: typeof code === 'number' ? code : 500,
    message: refusalMessage(JSON.stringify(status)),
    retryAfterMs: retryAfterMs(undefined, status)
  })
}
