import { PassThrough } from 'node:stream'
import t from 'tap'
import { AppError } from '../../src/core/errors.ts'
import { createLogger, describeError } from '../../src/observability/logger.ts'

function linesOf(stream: PassThrough): readonly unknown[] {
  stream.setEncoding('utf8')
  const text: unknown = stream.read()
  return (typeof text === 'string' ? text : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

t.test('a line is one JSON object with level, time, fields and message', async (t) => {
  const destination = new PassThrough()
  const log = createLogger({ level: 'info', destination })

  log.child({ component: 'server' }).info({ pod: 'ns/name' }, 'pod reviewed')

  t.match(linesOf(destination), [
    { level: 'info', time: /^\d{4}-.*Z$/, component: 'server', pod: 'ns/name', msg: 'pod reviewed' }
  ])
})

t.test('lines below the level are not written', async (t) => {
  const destination = new PassThrough()
  const log = createLogger({ level: 'warn', destination })

  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({}, 'c')
  log.error({}, 'd')

  t.match(linesOf(destination), [{ msg: 'c' }, { msg: 'd' }])
})

t.test('secrets are never written', async (t) => {
  const destination = new PassThrough()
  const log = createLogger({ level: 'info', destination })

  log.info({ token: 'hush', keyPem: 'hush', headers: { authorization: 'hush' }, env: ['hush'] }, 'a')

  t.notMatch(JSON.stringify(linesOf(destination)), /hush/)
})

t.test('of an error only name, code, message, stack and causes are told', async (t) => {
  const destination = new PassThrough()
  const cause = Object.assign(new Error('inner'), { request: 'hush' })
  const err = new AppError('PATCH_INVALID', 'does not apply', { cause })

  createLogger({ level: 'info', destination }).error({ err }, 'review failed')

  const [line] = linesOf(destination)
  t.match(line, { err: { code: 'PATCH_INVALID', message: 'does not apply', cause: { message: 'inner' } } })
  t.notMatch(JSON.stringify(line), /hush/)
})

t.test('what was thrown and is no error is told as text', async (t) => {
  t.strictSame(describeError('plain'), { message: 'plain' })
})

t.test('an endless chain of causes is cut', async (t) => {
  const err = new Error('round')
  err.cause = err

  t.equal(JSON.stringify(describeError(err)).match(/"round"/g)?.length, 5)
})

t.test('flush reaches a destination that buffers, and leaves others alone', async (t) => {
  let flushed = 0
  const destination = Object.assign(new PassThrough(), { flushSync: () => (flushed += 1) })

  createLogger({ level: 'info', destination }).flush()
  createLogger({ level: 'info', destination: new PassThrough() }).flush()
  createLogger({ level: 'info' }).flush()

  t.equal(flushed, 1)
})
