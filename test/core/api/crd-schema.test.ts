import t from 'tap'
import { toStructuralSchema } from '../../../src/core/api/crd-schema.ts'

t.test('drops what the API server does not take', async (t) => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: {
      count: { type: 'integer', minimum: 2, maximum: Number.MAX_SAFE_INTEGER },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      open: { type: 'object', additionalProperties: {} },
      either: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'number' }, { type: 'string' }] },
      list: { type: 'array', items: { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER } }
    }
  }

  t.strictSame(toStructuralSchema(schema), {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 2 },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      open: { type: 'object' },
      either: { 'x-kubernetes-int-or-string': true },
      list: { type: 'array', items: { type: 'integer' } }
    }
  })
})

t.test('refuses what has no structural form', async (t) => {
  t.throws(() => toStructuralSchema({ anyOf: [] }), { message: /anyOf/ })
  t.throws(() => toStructuralSchema({ properties: { a: { oneOf: [] } } }), { message: /oneOf/ })
  t.strictSame(toStructuralSchema({ properties: 'nonsense' }), { properties: {} })
  t.strictSame(toStructuralSchema(true), {})
})
