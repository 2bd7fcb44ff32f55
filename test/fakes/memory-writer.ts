import type { JsonRecord } from '../../src/core/json.ts'
import type { ObjectName, ObjectWriter } from '../../src/ports/object-writer.ts'

/** A writer that keeps what is written in memory. */
export class MemoryWriter implements ObjectWriter {
  /** What was asked for, in order: `spec GpuWorkload ml/deployment-a`. */
  readonly calls: string[] = []
  /** Called after each change. */
  onChange: ((object: ObjectName, now: JsonRecord | undefined) => void) | undefined
  /** Called before each call; may throw. */
  before: ((what: string) => void | Promise<void>) | undefined
  readonly #objects = new Map<string, JsonRecord>()

  async applySpec(object: ObjectName, spec: JsonRecord): Promise<void> {
    await this.#note('spec', object)
    const { kind, namespace, name } = object
    const before = this.read(object)
    const fresh = {
      apiVersion: 'rightslice.dev/v1alpha1',
      kind,
      metadata: { namespace, name, generation: 1 }
    }
    this.#set(object, { ...(before ?? fresh), spec })
  }

  async applyStatus(object: ObjectName, status: JsonRecord): Promise<boolean> {
    await this.#note('status', object)
    const before = this.read(object)
    if (before === undefined) return false
    this.#set(object, { ...before, status })
    return true
  }

  async remove(object: ObjectName): Promise<void> {
    await this.#note('remove', object)
    if (this.#objects.delete(keyOf(object))) this.onChange?.(object, undefined)
  }

  /** The object as it is now. */
  read(object: ObjectName): JsonRecord | undefined {
    return this.#objects.get(keyOf(object))
  }

  /** Puts an object there without a call. */
  put(object: ObjectName, value: JsonRecord): void {
    this.#set(object, value)
  }

  #set(object: ObjectName, value: JsonRecord): void {
    const stored: JsonRecord = JSON.parse(JSON.stringify(value))
    this.#objects.set(keyOf(object), stored)
    this.onChange?.(object, stored)
  }

  async #note(what: string, object: ObjectName): Promise<void> {
    const call = `${what} ${keyOf(object)}`
    await this.before?.(call)
    this.calls.push(call)
  }
}

function keyOf({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace}/${name}`
}
