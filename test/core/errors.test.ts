import t from 'tap'
import { AppError, errorCodes } from '../../src/core/errors.ts'

t.test('a fault carries its code, what it says and its cause', async (t) => {
  const cause = new Error('no route')

  const fault = new AppError('KUBE_UNREACHABLE', 'nobody answers at 127.0.0.1:6443', { cause })

  t.ok(fault instanceof Error)
  t.equal(fault.name, 'AppError')
  t.equal(fault.code, 'KUBE_UNREACHABLE')
  t.equal(fault.message, 'nobody answers at 127.0.0.1:6443')
  t.equal(fault.cause, cause)
  t.ok(Object.hasOwn(errorCodes, fault.code))
})

t.test('a fault without a cause has none', async (t) => {
  t.equal(new AppError('FILE_INVALID', 'x').cause, undefined)
})
