import type { Test } from 'tap'
import type { JsonRecord } from '../../src/core/json.ts'
import type { ObjectName, ObjectWriter } from '../../src/ports/object-writer.ts'

/** A writer under test and a way to see what it wrote. */
export interface WriterUnderTest {
  readonly writer: ObjectWriter
  readonly read: (object: ObjectName) => JsonRecord | undefined | Promise<JsonRecord | undefined>
}

/** What every ObjectWriter promises; `make` gives one over an empty cluster. */
export function objectWriterContract(t: Test, make: (t: Test) => Promise<WriterUnderTest>): void {
  const object = { kind: 'GpuWorkload', namespace: 'ml', name: 'deployment-a' } as const
  const spec = { workloadRef: { kind: 'Deployment', name: 'a' } }
  const never = new AbortController().signal

  t.test('a spec creates the object, and a second one changes it', async (t) => {
    const { writer, read } = await make(t)

    await writer.applySpec(object, { workloadRef: { kind: 'Deployment', name: 'b' } }, never)
    await writer.applySpec(object, spec, never)

    t.match(await read(object), { spec })
  })

  t.test('a status needs an object', async (t) => {
    const { writer, read } = await make(t)

    t.equal(await writer.applyStatus(object, { policy: 'p' }, never), false)
    t.equal(await read(object), undefined)
  })

  t.test('a status takes the place of the one before and leaves the spec alone', async (t) => {
    const { writer, read } = await make(t)
    await writer.applySpec(object, spec, never)

    t.equal(await writer.applyStatus(object, { policy: 'p' }, never), true)
    await writer.applyStatus(object, { observedGeneration: 2 }, never)

    t.match(await read(object), { spec })
    t.strictSame((await read(object))?.['status'], { observedGeneration: 2 })
  })

  t.test('what is gone can be removed', async (t) => {
    const { writer, read } = await make(t)
    await writer.applySpec(object, spec, never)

    await writer.remove(object, never)
    await writer.remove(object, never)

    t.equal(await read(object), undefined)
  })
}
