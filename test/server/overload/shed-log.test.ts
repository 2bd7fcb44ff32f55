import { mock } from 'node:test'
import t from 'tap'
import { ShedLog } from '../../../src/server/overload/shed-log.ts'
import { MemoryLog } from '../../fakes/memory-log.ts'

const first = { level: 'warn', message: 'too much to do, reviews are sent back' }
const more = { level: 'warn', message: 'more reviews were sent back' }

t.beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }))
t.afterEach(() => mock.timers.reset())

t.test('the first is told at once, those that follow by their number', async (t) => {
  const log = new MemoryLog()
  const shedLog = new ShedLog(log)

  for (let count = 0; count < 1000; count += 1) shedLog.shed('rewrite.rightslice.dev', 'busy')
  mock.timers.tick(10_000)

  t.strictSame(log.lines, [
    { ...first, fields: { webhook: 'rewrite.rightslice.dev', cause: 'busy' } },
    { ...more, fields: { count: 999 } }
  ])
})

t.test('after a quiet time the next one is the first again', async (t) => {
  const log = new MemoryLog()
  const shedLog = new ShedLog(log)

  shedLog.shed('rewrite.rightslice.dev', 'busy')
  mock.timers.tick(10_000)
  shedLog.shed('isolation.rightslice.dev', 'bodies')
  shedLog.close()
  mock.timers.tick(60_000)

  t.strictSame(
    log.lines.map(({ message, fields }) => [message, fields]),
    [
      [first.message, { webhook: 'rewrite.rightslice.dev', cause: 'busy' }],
      [first.message, { webhook: 'isolation.rightslice.dev', cause: 'bodies' }]
    ]
  )
})

t.test('what was counted and not told yet is told at the end', async (t) => {
  const log = new MemoryLog()
  const shedLog = new ShedLog(log)

  for (let count = 0; count < 3; count += 1) shedLog.shed('rewrite.rightslice.dev', 'busy')
  shedLog.close()
  shedLog.close()
  mock.timers.tick(60_000)

  t.strictSame(log.lines, [
    { ...first, fields: { webhook: 'rewrite.rightslice.dev', cause: 'busy' } },
    { ...more, fields: { count: 2 } }
  ])
})
