import t from 'tap'
import { isSmall, LargeBodies } from '../../../src/server/overload/large-bodies.ts'

const MIB = 1024 * 1024
const LARGEST = 7 * MIB

function withLength(bytes?: number) {
  return { headers: bytes === undefined ? {} : { 'content-length': String(bytes) } }
}

t.test('a small body needs no place', async (t) => {
  const bodies = new LargeBodies(LARGEST)
  for (let count = 0; count < 5; count += 1) bodies.take(withLength(LARGEST))

  t.equal(bodies.take(withLength(128 * 1024)), 0)
  t.equal(bodies.take(withLength(128 * 1024 + 1)), undefined)
})

t.test('what is refused before it is read needs none either', async (t) => {
  t.equal(new LargeBodies(LARGEST).take(withLength(LARGEST + 1)), 0)
})

t.test('five of the largest have a place, and the sixth once one of them is gone', async (t) => {
  const bodies = new LargeBodies(LARGEST)

  const taken = Array.from({ length: 6 }, () => bodies.take(withLength(LARGEST)))
  bodies.giveBack(LARGEST)

  t.strictSame(taken, [LARGEST, LARGEST, LARGEST, LARGEST, LARGEST, undefined])
  t.equal(bodies.take(withLength(LARGEST)), LARGEST)
})

for (const [name, request] of [
  ['no length', withLength()],
  ['a length that is no number', { headers: { 'content-length': 'x' } }]
] as const) {
  t.test(`a body of ${name} is not small`, async (t) => {
    t.equal(isSmall(request), false)
  })
}

t.test('a body that does not say its size counts as the largest', async (t) => {
  t.equal(new LargeBodies(LARGEST).take(withLength()), LARGEST)
})
