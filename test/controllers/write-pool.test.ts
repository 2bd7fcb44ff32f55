import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { runPool } from '../../src/controllers/write-pool.ts'
import { AppError } from '../../src/core/errors.ts'

const never = new AbortController().signal
const items = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

t.test('four run at once, and all are run', async (t) => {
  let running = 0
  let most = 0
  const done: number[] = []

  const report = await runPool(
    items(20),
    async (item) => {
      running += 1
      most = Math.max(most, running)
      await nextTurn()
      running -= 1
      done.push(item)
    },
    { signal: never, onFault: () => t.fail('nothing fails') }
  )

  t.equal(most, 4)
  t.equal(done.length, 20)
  t.strictSame(report, { failed: 0, left: 0 })
})

t.test('a task that fails is told, and the others go on', async (t) => {
  const faults: number[] = []

  const report = await runPool(
    items(20),
    (item) => (item % 5 === 0 ? Promise.reject(new Error('planted')) : Promise.resolve()),
    { signal: never, onFault: (item) => faults.push(item) }
  )

  t.strictSame(faults, [0, 5, 10, 15])
  t.strictSame(report, { failed: 4, left: 0 })
})

for (const code of ['KUBE_UNREACHABLE', 'KUBE_UNAVAILABLE'] as const) {
  t.test(`when the API server serves nobody (${code}) the rest is left`, async (t) => {
    const report = await runPool(items(100), () => Promise.reject(new AppError(code, 'planted')), {
      signal: never,
      onFault: () => undefined
    })

    t.ok(report.failed >= 8 && report.failed < 12)
    t.equal(report.failed + report.left, 100)
  })
}

t.test('many that are refused leave nothing, and the first of them are told', async (t) => {
  const faults: number[] = []
  const done: number[] = []

  const report = await runPool(
    items(100),
    async (item) => {
      if (item < 80) throw new AppError('KUBE_REFUSED', 'planted')
      done.push(item)
    },
    { signal: never, onFault: (item) => faults.push(item) }
  )

  t.equal(done.length, 20)
  t.equal(faults.length, 50)
  t.strictSame(report, { failed: 80, left: 0 })
})

t.test('faults of the API server count in a row only', async (t) => {
  const report = await runPool(
    items(100),
    (item) =>
      item % 5 === 0 ? Promise.resolve() : Promise.reject(new AppError('KUBE_UNAVAILABLE', 'planted')),
    { signal: never, onFault: () => undefined }
  )

  t.strictSame(report, { failed: 80, left: 0 })
})

t.test('after an abort nothing new is begun, and its faults are not told', async (t) => {
  const stopping = new AbortController()
  let faults = 0

  const report = await runPool(
    items(100),
    () => {
      stopping.abort()
      return Promise.reject(new Error('aborted'))
    },
    {
      signal: stopping.signal,
      onFault: () => {
        faults += 1
      }
    }
  )

  t.equal(faults, 0)
  t.ok(report.left >= 96)
})

t.test('nothing to do is done at once', async (t) => {
  const report = await runPool([], () => Promise.resolve(), { signal: never, onFault: () => undefined })

  t.strictSame(report, { failed: 0, left: 0 })
})
