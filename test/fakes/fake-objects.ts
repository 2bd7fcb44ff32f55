import { setImmediate as nextTurn } from 'node:timers/promises'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../../src/core/json.ts'
import type { KubeConnection } from '../../src/kube/connection.ts'
import type { KubeRequest, KubeResponse } from '../../src/kube/exchange.ts'
import { KubeError } from '../../src/kube/kube-error.ts'

/**
 * Single objects of an API server in memory, behind the connection's own interface: GET, POST, PUT, PATCH (apply, merge patch) and
 * DELETE with resource versions, conflicts, the status subresource, and faults on demand.
 */
export class FakeObjects implements Pick<KubeConnection, 'request'> {
  readonly seen: KubeRequest[] = []
  /** Called before each request is served; may throw what the connection would throw. */
  before: ((request: KubeRequest) => void | Promise<void>) | undefined
  readonly #objects = new Map<string, JsonRecord>()
  #version = 0

  /** The object at a path, as stored. */
  at(path: string): JsonRecord | undefined {
    return this.#objects.get(path)
  }

  /** Paths of all objects, sorted. */
  paths(): readonly string[] {
    return [...this.#objects.keys()].sort()
  }

  /** Stores an object under a path, with a new version. */
  put(path: string, object: JsonRecord): JsonRecord {
    this.#version += 1
    const metadata = { ...asRecord(object['metadata']), resourceVersion: String(this.#version) }
    const stored = { ...object, metadata }
    this.#objects.set(path, stored)
    return stored
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    request.signal?.throwIfAborted()
    this.seen.push(request)
    await nextTurn()
    await this.before?.(request)
    return answer(this.#serve(request))
  }

  #serve(request: KubeRequest): JsonRecord {
    const body = asRecord(JSON.parse(JSON.stringify(request.body ?? {})))
    const path = request.path.replace(/\/status$/, '')
    switch (request.method) {
      case 'GET':
        return this.#get(request)
      case 'DELETE':
        return this.#objects.delete(path) ? {} : refuse(request, 404)
      case 'POST':
        return this.#create(request, `${path}/${stringOf(body['metadata'], 'name') ?? ''}`, body)
      case 'PUT':
        return this.#replace(request, path, body)
      case 'PATCH':
        return this.#patch(request, path, body)
    }
  }

  #get(request: KubeRequest): JsonRecord {
    return this.#objects.get(request.path) ?? this.#list(request) ?? refuse(request, 404)
  }

  /** Every object of a kind whose API has been put there as a discovery document; undefined for other paths. */
  #list({ path, query }: KubeRequest): JsonRecord | undefined {
    const [, api = '', plural] = /^(\/apis\/[^/]+\/[^/]+)\/([^/]+)$/.exec(path) ?? []
    if (plural === undefined || !this.#objects.has(api)) return undefined
    const [label = '', value] = String(query?.['labelSelector'] ?? '').split('=')
    const items = this.paths()
      .filter((own) => own.startsWith(`${api}/namespaces/`) && own.split('/').at(-2) === plural)
      .flatMap((own) => this.at(own) ?? [])
      .filter((object) => value === undefined || fieldAt(object, 'metadata', 'labels', label) === value)
    return { items, metadata: { resourceVersion: String(this.#version) } }
  }

  #create(request: KubeRequest, path: string, body: JsonRecord): JsonRecord {
    return this.#objects.has(path) ? refuse(request, 409) : this.put(path, body)
  }

  #replace(request: KubeRequest, path: string, body: JsonRecord): JsonRecord {
    const stored = this.#objects.get(path)
    if (stored === undefined) return refuse(request, 404)
    const version = fieldAt(body, 'metadata', 'resourceVersion')
    const isCurrent = version === versionOf(stored)
    return isCurrent ? this.put(path, body) : refuse(request, 409)
  }

  #patch(request: KubeRequest, path: string, body: JsonRecord): JsonRecord {
    if (isMergePatch(request)) return this.#merge(request, path, body)
    if (Array.isArray(request.body)) return this.#replaceData(request, path, request.body)
    const isList = body['webhooks'] !== undefined
    return isList ? this.#applyWebhooks(request, path, body) : this.#apply(request, path, body)
  }

  /** Of JSON Patch only what puts other data into an object. */
  #replaceData(request: KubeRequest, path: string, operations: readonly unknown[]): JsonRecord {
    const stored = this.#objects.get(path)
    if (stored === undefined) return refuse(request, 404)
    const [operation] = operations
    if (fieldOf(operation, 'path') !== '/data') return refuse(request, 422)
    return this.put(path, { ...stored, data: fieldOf(operation, 'value') })
  }

  #merge(request: KubeRequest, path: string, body: JsonRecord): JsonRecord {
    const stored = this.#objects.get(path)
    if (stored === undefined) return refuse(request, 404)
    const version = fieldAt(body, 'metadata', 'resourceVersion')
    const isCurrent = version === undefined || version === versionOf(stored)
    return isCurrent ? this.put(path, merged(stored, body)) : refuse(request, 409)
  }

  /**
   * One manager owns everything here, so an apply replaces `spec`, or through the subresource `status`, and touches nothing else; of
   * an object that has neither, it replaces all.
   */
  #apply(request: KubeRequest, path: string, body: JsonRecord): JsonRecord {
    const stored = this.#objects.get(path)
    const isStatus = request.path.endsWith('/status')
    if (isStatus && stored === undefined) return refuse(request, 404)
    const field = isStatus ? 'status' : 'spec'
    if (!isStatus && !Object.hasOwn(body, field)) return this.put(path, body)
    const next = { ...(stored ?? body), [field]: body[field] }
    if (stored === undefined) delete (next as Record<string, unknown>)['status']
    if (stored !== undefined && JSON.stringify(stored[field]) === JSON.stringify(body[field])) return stored
    return this.put(path, next)
  }

  /** Of a list by name it merges the entries that are named; without rights to create, what is missing is forbidden. */
  #applyWebhooks(request: KubeRequest, path: string, body: JsonRecord): JsonRecord {
    const stored = this.#objects.get(path)
    if (stored === undefined) return refuse(request, 403)
    const patches = listOf(body, 'webhooks').map(asRecord)
    const webhooks = listOf(stored, 'webhooks').map(asRecord)
    const isKnown = (name: unknown): boolean => webhooks.some((webhook) => webhook['name'] === name)
    if (!patches.every(({ name }) => isKnown(name))) return refuse(request, 422)
    return this.put(path, {
      ...stored,
      webhooks: webhooks.map((webhook) =>
        merged(webhook, patches.find(({ name }) => name === webhook['name']) ?? {})
      )
    })
  }
}

function isMergePatch({ headers }: KubeRequest): boolean {
  return headers?.['content-type'] === 'application/merge-patch+json'
}

/** @source RFC 7386 */
function merged(target: JsonRecord, patch: JsonRecord): JsonRecord {
  const next: Record<string, unknown> = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete next[key]
    else next[key] = isRecord(value) ? merged(asRecord(next[key]), value) : value
  }
  return next
}

/** Makes the next requests that fit fail with a status. */
export function failing(
  fits: (request: KubeRequest) => boolean,
  failures: readonly { readonly status: number; readonly retryAfterMs?: number }[]
): (request: KubeRequest) => void {
  const left = [...failures]
  return (request) => {
    const failure = fits(request) ? left.shift() : undefined
    if (failure !== undefined) refuse(request, failure.status, failure.retryAfterMs)
  }
}

/** Throws the refusal that a connection throws for this status. */
export function refuse(request: KubeRequest, status: number, retryAfterMs?: number): never {
  const { method, path } = request
  throw new KubeError({ method, path, status, message: 'made to fail', retryAfterMs })
}

function answer(body: JsonRecord): KubeResponse {
  return {
    status: 200,
    headers: {},
    body: (async function* () {})(),
    json: () => Promise.resolve(body)
  }
}

function versionOf(object: JsonRecord): string | undefined {
  return stringOf(fieldOf(object, 'metadata'), 'resourceVersion')
}

function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}
