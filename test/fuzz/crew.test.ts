import t, { type Test } from 'tap'
import { Worker } from './crew.ts'

const chunk = { from: 0, to: 6 }

t.setTimeout(120_000)

/** A process that tries nothing: it ends itself before index 2, or is silent from there on. */
function program(t: Pick<Test, 'testdir'>, atTwo: string): URL {
  const folder = t.testdir({
    'child.mjs': `
      process.on('message', async ({ from, to, step }) => {
        for (let index = from; index < to; index += 1) {
          if (step) process.send({ index })
          await new Promise((resolve) => setImmediate(resolve))
          if (index === 2) ${atTwo}
        }
        process.send({ result: { from, to, findings: [], outcomes: { fine: to - from }, slowest: { index: from, cpuMs: 1 }, rssMiB: 9, cpuSeconds: 1 } })
      })
      process.send({ ready: true })
      process.on('disconnect', () => process.exit(0))`
  })
  return new URL(`file://${folder}/child.mjs`)
}

for (const { name, atTwo, law } of [
  { name: 'ends its process', atTwo: 'process.exit(7)', law: 'the process goes on: it ends: 7' },
  {
    name: 'never ends',
    atTwo: 'await new Promise(() => setInterval(() => {}, 1000))',
    law: 'the process goes on: it hangs'
  }
])
  t.test(`a review that ${name} is found, and the others of its chunk are tried`, async (t) => {
    const worker = new Worker(1, { program: program(t, atTwo), chunkMs: 1000, reviewMs: 1000 })
    t.teardown(() => worker.stop())

    const result = await worker.run(chunk)

    t.match(result, { ...chunk, findings: [{ index: 2, law }], outcomes: { fine: 5 }, rssMiB: 9 })
    t.equal(result.findings.length, 1)
  })

t.test('a chunk in which nothing happens takes one process', async (t) => {
  const worker = new Worker(1, { program: program(t, '{}') })
  t.teardown(() => worker.stop())

  const results = [await worker.run(chunk), await worker.run({ from: 6, to: 8 })]

  t.strictSame(
    results.flatMap(({ findings }) => findings),
    []
  )
  t.equal(worker.lives, 1)
})
