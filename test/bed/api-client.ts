import { Agent, type Dispatcher, request as send } from 'undici'

/** Answer of the API server: status code, parsed body (text when it is not JSON), and the texts of its warnings. */
export type Answer = {
  readonly status: number
  readonly body: unknown
  readonly warnings: readonly string[]
}

/** The part of HTTP that this bed talks. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Content type of an RFC 7386 merge patch. */
export const MERGE_PATCH = 'application/merge-patch+json'
/** Content type of Kubernetes' strategic merge patch: lists with a merge key are merged by it. */
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'

/** Sends one request; any status is an answer. @throws Error when there is no answer within 10 s */
export type SendRequest = (
  method: Method,
  path: string,
  body?: unknown,
  contentType?: string
) => Promise<Answer>

/** A user, and its groups; the API server adds `system:authenticated` itself. */
export type User = { readonly user: string; readonly groups: readonly string[] }

/** Talks to the API server over HTTPS with one token. */
export type ApiClient = {
  readonly request: SendRequest
  /** Sends requests as somebody else, which needs the right to impersonate. */
  readonly as: (user: User) => SendRequest
  /** Opens a stream of newline-separated JSON objects, as `?watch=true` gives it. */
  readonly lines: (path: string, signal: AbortSignal) => AsyncGenerator<unknown>
  readonly close: () => Promise<void>
}

/** Makes a client of the API server at `url`, whose certificate `ca` (PEM) vouches for. */
export function makeApiClient(url: string, ca: string, token: string): ApiClient {
  // Over HTTP/2 undici joins headers of one name, and two groups would become one.
  const dispatcher = new Agent({ connect: { ca }, allowH2: false, headersTimeout: 30_000, bodyTimeout: 0 })
  const authorization = `Bearer ${token}`
  const requestWith =
    (more: Readonly<Record<string, string | string[]>>): SendRequest =>
    async (method, path, body, contentType = 'application/json') => {
      const response = await send(new URL(path, url), {
        method,
        dispatcher,
        signal: AbortSignal.timeout(30_000),
        headers: { authorization, accept: 'application/json', 'content-type': contentType, ...more },
        body: body === undefined ? null : JSON.stringify(body)
      })
      return {
        status: response.statusCode,
        body: parse(await response.body.text()),
        warnings: [response.headers.warning ?? []].flat().flatMap(warningTexts)
      }
    }
  return {
    request: requestWith({}),
    as: ({ user, groups }) => requestWith({ 'impersonate-user': user, 'impersonate-group': [...groups] }),
    lines: (path, signal) => streamLines({ url, path, dispatcher, authorization, signal }),
    close: () => dispatcher.destroy()
  }
}

/** The quoted texts of a `Warning` header: `299 - "text"`. @source RFC 7234 section 5.5 */
function warningTexts(header: string): readonly string[] {
  return [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1')
  )
}

type Stream = {
  readonly url: string
  readonly path: string
  readonly dispatcher: Dispatcher
  readonly authorization: string
  readonly signal: AbortSignal
}

async function* streamLines({
  url,
  path,
  dispatcher,
  authorization,
  signal
}: Stream): AsyncGenerator<unknown> {
  const headers = { authorization, accept: 'application/json' }
  const response = await send(new URL(path, url), { method: 'GET', dispatcher, headers, signal })
  if (response.statusCode !== 200) {
    throw new Error(`GET ${path} answered ${response.statusCode}: ${await response.body.text()}`)
  }
  let rest = ''
  response.body.setEncoding('utf8')
  for await (const chunk of response.body) {
    const parts = (rest + String(chunk)).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) yield parse(line)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The body of an answer that must be a success.
 * @throws Error with the status and the API server's message
 */
export function bodyOf({ status, body }: Pick<Answer, 'status' | 'body'>, what: string): unknown {
  if (status >= 200 && status < 300) return body
  throw new Error(`${what}: the API server answered ${status}: ${JSON.stringify(body)}`)
}
