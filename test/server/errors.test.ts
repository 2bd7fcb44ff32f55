import t from 'tap'
import { describeRefusal } from '../../src/server/errors.ts'

const error = (fields: object) => Object.assign(new Error('detail'), { code: 'FST_ERR', ...fields })

t.test('what the sender did wrong is told', async (t) => {
  t.strictSame(describeRefusal(error({ statusCode: 413 })), {
    status: 413,
    body: { code: 'FST_ERR', message: 'detail' }
  })
})

t.test('what went wrong here is not told in detail', async (t) => {
  for (const fields of [{}, { statusCode: 500 }, { statusCode: 200 }]) {
    t.strictSame(describeRefusal(error(fields)), {
      status: 500,
      body: { code: 'FST_ERR', message: 'internal error' }
    })
  }
})
