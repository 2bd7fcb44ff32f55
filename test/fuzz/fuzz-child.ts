import { once } from 'node:events'
import { fieldOf } from '../../src/core/json.ts'
import { openGround, runChunk } from './run-chunk.ts'

/**
 * One process of the fuzzer: `node --expose-gc fuzz-child.ts SEED`. It is told chunks, tells what came of each, and of a chunk with `step` each
 * index before it is tried, so that its parent knows which one ended the process.
 */
const ground = await openGround(Number(process.argv[2]))

process.on('message', (chunk) => {
  const [from, to] = [Number(fieldOf(chunk, 'from')), Number(fieldOf(chunk, 'to'))]
  const tell = fieldOf(chunk, 'step') === true ? (index: number) => process.send?.({ index }) : undefined
  void runChunk(ground, { from, to }, tell).then((result) => process.send?.({ result }))
})
process.send?.({ ready: true })
await once(process, 'disconnect')
process.exit(0)
