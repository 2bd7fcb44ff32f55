import { fieldAt, fieldOf, listOf, stringMapOf, stringOf } from '../../../src/core/json.ts'
import type { Bed } from '../../bed/start-bed.ts'

/** All that a test asks about one pod, alive or gone. */
export interface PodLife {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly app: string
  /** Reason code of the decision, '' where there is none. */
  readonly decision: string
  /** Label of the share that we gave it, '' where it keeps what it asked for. */
  readonly share: string
  /** GPU resources of its containers' limits. */
  readonly asked: Readonly<Record<string, string>>
  readonly node: string
  readonly isGone: boolean
  /** In the order in which the API server told of them. */
  readonly place: number
}

/** Writes down what becomes of every pod, so that one that came and went is not forgotten. */
export class PodHistory {
  readonly #lives = new Map<string, PodLife>()
  readonly #ending = new AbortController()
  readonly #watching: Promise<void>
  #fault: Error | undefined

  constructor(bed: Bed) {
    this.#watching = this.#watch(bed).catch((fault: unknown) => {
      if (!this.#ending.signal.aborted)
        this.#fault = new Error('the pods were not watched to the end', { cause: fault })
    })
  }

  /** Every pod of the namespace that ever was, in order of creation; of all namespaces without one. @throws what the watch met */
  of(namespace?: string): readonly PodLife[] {
    if (this.#fault !== undefined) throw this.#fault
    return [...this.#lives.values()].filter((life) => namespace === undefined || life.namespace === namespace)
  }

  /** Pods of the namespace that are there now. */
  living(namespace?: string): readonly PodLife[] {
    return this.of(namespace).filter(({ isGone }) => !isGone)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#watching
  }

  /** A watch that the API server ends, as it does with one that is slow, goes on where it stopped. */
  async #watch(bed: Bed): Promise<void> {
    const { signal } = this.#ending
    const { body } = await bed.request('GET', '/api/v1/pods?limit=1')
    let version = stringOf(fieldOf(body, 'metadata'), 'resourceVersion') ?? ''
    while (!signal.aborted) {
      for await (const event of bed.watch(`/api/v1/pods?watch=true&resourceVersion=${version}`, signal)) {
        const type = stringOf(event, 'type')
        const pod = fieldOf(event, 'object')
        if (type === 'ERROR') throw new Error(`the watch of pods failed: ${JSON.stringify(pod)}`)
        version = stringOf(fieldOf(pod, 'metadata'), 'resourceVersion') ?? version
        this.#note(pod, type === 'DELETED')
      }
    }
  }

  #note(pod: unknown, isGone: boolean): void {
    const uid = stringOf(fieldOf(pod, 'metadata'), 'uid')
    if (uid === undefined) return
    this.#lives.set(uid, lifeOf(pod, { place: this.#lives.get(uid)?.place ?? this.#lives.size, isGone }))
  }
}

function lifeOf(pod: unknown, seen: Pick<PodLife, 'place' | 'isGone'>): PodLife {
  const metadata = fieldOf(pod, 'metadata')
  const labels = stringMapOf(metadata, 'labels')
  return {
    ...seen,
    uid: stringOf(metadata, 'uid') ?? '',
    name: stringOf(metadata, 'name') ?? '',
    namespace: stringOf(metadata, 'namespace') ?? '',
    app: labels['app'] ?? '',
    decision: stringMapOf(metadata, 'annotations')['rightslice.dev/decision'] ?? '',
    share: labels['rightslice.dev/slice'] ?? '',
    asked: gpusOf(pod),
    node: stringOf(fieldOf(pod, 'spec'), 'nodeName') ?? ''
  }
}

/** GPU resources that the containers of a pod ask for; each resource is asked for by one of them in these tests. */
export function gpusOf(pod: unknown): Readonly<Record<string, string>> {
  const maps = listOf(fieldOf(pod, 'spec'), 'containers').map((container) =>
    stringMapOf(fieldOf(container, 'resources'), 'limits')
  )
  const entries = maps.flatMap((map) => Object.entries(map)).filter(([key]) => key.startsWith('nvidia.com/'))
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Messages of the Events of this reason about objects of this kind in a namespace, by the name of the object. */
export async function eventsOf(
  bed: Bed,
  namespace: string,
  { reason, kind }: { readonly reason: string; readonly kind: string }
): Promise<ReadonlyMap<string, readonly string[]>> {
  const selector = encodeURIComponent(`reason=${reason}`)
  const { body } = await bed.request(
    'GET',
    `/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`
  )
  const about = listOf(body, 'items').filter((event) => fieldAt(event, 'involvedObject', 'kind') === kind)
  const named = Map.groupBy(about, (event) => String(fieldAt(event, 'involvedObject', 'name')))
  return new Map([...named].map(([name, events]) => [name, events.map((event) => messageOf(event))]))
}

function messageOf(event: unknown): string {
  return stringOf(event, 'message') ?? ''
}
