import { AppError } from '../../src/core/errors.ts'
import { fieldOf, type JsonRecord, stringOf } from '../../src/core/json.ts'
import type { PagedKind, PageReader, WantedPages } from '../../src/ports/page-reader.ts'

/** A reader over objects in memory, two a page. */
export class MemoryPages implements PageReader {
  /** What was asked for, in order: `pods team-a`. */
  readonly asked: string[] = []
  /** Called before each answer; may throw. */
  before: ((wanted: WantedPages) => void) | undefined
  readonly #objects: Partial<Record<PagedKind, readonly JsonRecord[]>>

  constructor(objects: Partial<Record<PagedKind, readonly JsonRecord[]>>) {
    this.#objects = objects
  }

  async read(
    wanted: WantedPages,
    onPage: (objects: readonly unknown[]) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    this.asked.push([wanted.kind, wanted.namespace ?? wanted.name ?? []].flat().join(' '))
    if (signal.aborted) throw new AppError('KUBE_UNREACHABLE', 'aborted')
    this.before?.(wanted)
    const found = (this.#objects[wanted.kind] ?? []).filter((object) => isWanted(object, wanted))
    for (let start = 0; start < found.length; start += 2) await onPage(found.slice(start, start + 2))
  }
}

function isWanted(object: JsonRecord, { namespace, name }: WantedPages): boolean {
  const metadata = fieldOf(object, 'metadata')
  return (
    (namespace === undefined || stringOf(metadata, 'namespace') === namespace) &&
    (name === undefined || stringOf(metadata, 'name') === name)
  )
}
