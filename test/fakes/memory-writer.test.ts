import t from 'tap'
import { objectWriterContract } from '../contract/object-writer.ts'
import { MemoryWriter } from './memory-writer.ts'

t.test('the contract of an ObjectWriter', async (t) => {
  objectWriterContract(t, async () => {
    const writer = new MemoryWriter()
    return { writer, read: (object) => writer.read(object) }
  })
})
