import t from 'tap'
import { fieldAt, fieldOf, isRecord, listOf, stringMapOf, stringOf, stringsOf } from '../../src/core/json.ts'

t.test('only JSON objects are records', async (t) => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) t.equal(isRecord(value), true)
  for (const value of [null, undefined, [], 'text', 1, true]) t.equal(isRecord(value), false)
})

t.test('a field is an own one, never an inherited one', async (t) => {
  t.equal(fieldOf({ a: 1 }, 'a'), 1)
  t.equal(fieldOf({}, 'constructor'), undefined)
  t.equal(fieldOf({}, '__proto__'), undefined)
  t.equal(fieldOf([1], 'length'), undefined)
  t.equal(fieldOf('text', 'length'), undefined)
  t.equal(fieldOf(null, 'a'), undefined)
})

t.test('a path ends where a step is missing', async (t) => {
  t.equal(fieldAt({ a: { b: { c: 3 } } }, 'a', 'b', 'c'), 3)
  t.strictSame(fieldAt({ a: 1 }), { a: 1 })
  t.equal(fieldAt({ a: 1 }, 'a', 'b', 'c'), undefined)
  t.equal(fieldAt(undefined, 'a'), undefined)
})

t.test('a string field is a string that is not empty', async (t) => {
  t.equal(stringOf({ a: 'x' }, 'a'), 'x')
  for (const value of ['', 1, null, ['x'], undefined]) t.equal(stringOf({ a: value }, 'a'), undefined)
})

t.test('a list field of another type is empty', async (t) => {
  t.strictSame(listOf({ a: [1, 'x'] }, 'a'), [1, 'x'])
  for (const value of [{ 0: 'x' }, 'x', null, undefined]) t.strictSame(listOf({ a: value }, 'a'), [])
})

t.test('a list of strings drops everything else', async (t) => {
  t.strictSame(stringsOf({ a: ['x', 1, null, ['y'], ''] }, 'a'), ['x', ''])
})

t.test('a map of strings keeps strings, also empty ones, and has no prototype', async (t) => {
  const map = stringMapOf({ a: { x: '1', empty: '', count: 2, nothing: null } }, 'a')

  t.strictSame(Object.entries(map), [
    ['x', '1'],
    ['empty', '']
  ])
  t.equal(Object.getPrototypeOf(map), null)
  t.equal(map.constructor, undefined)
  t.strictSame(Object.keys(stringMapOf({ a: 'text' }, 'a')), [])
})

t.test('a key named __proto__ is a key like any other', async (t) => {
  const map = stringMapOf(JSON.parse('{"a": {"__proto__": "x", "y": "1"}}'), 'a')

  t.strictSame(Object.keys(map), ['__proto__', 'y'])
  t.equal(Object.hasOwn({}, 'x'), false)
})
