import { fieldAt } from '../../../src/core/json.ts'

/** What is sent: reviews of one webhook. */
export interface Review {
  readonly path: '/isolation' | '/rewrite' | '/advice'
  readonly body: string
  /** What an answer must hold besides the uid, such as `"decision":"rewrite"`; default: nothing more. */
  readonly told?: string
}

/** One request, ready to be sent. */
export interface PreparedRequest {
  readonly uid: string
  readonly bytes: Buffer
}

/** Uids of one sender never repeat; they are as long as those of API servers. */
let sent = 0

function nextUid(): string {
  sent += 1
  return `0b5e55ed-0000-4000-8000-${sent.toString(16).padStart(12, '0')}`
}

/** Makes requests out of one review, each with a uid of its own, without looking at the body again. */
export function requestMaker({ path, body }: Review): () => PreparedRequest {
  const old = String(fieldAt(JSON.parse(body), 'request', 'uid'))
  const start = body.indexOf(old)
  const [before, after] = [body.slice(0, start), body.slice(start + old.length)]
  const length = Buffer.byteLength(before) + Buffer.byteLength(nextUid()) + Buffer.byteLength(after)
  const head = [
    `POST ${path}?timeout=2s HTTP/1.1`,
    'Host: rightslice.rightslice-system.svc',
    'Content-Type: application/json',
    `Content-Length: ${length}`
  ]
  const first = Buffer.from(`${head.join('\r\n')}\r\n\r\n${before}`)
  const last = Buffer.from(after)
  return () => {
    const uid = nextUid()
    return { uid, bytes: Buffer.concat([first, Buffer.from(uid), last]) }
  }
}
