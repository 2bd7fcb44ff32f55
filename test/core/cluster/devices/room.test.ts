import t from 'tap'
import { holdsTogether, mostOf, type Room, type Unit } from '../../../../src/core/cluster/devices/room.ts'

/** Devices of a card with eight slices of memory, by their first slice and their size. */
function card(gpu: number, share: number, starts: readonly number[], size: number): readonly Unit[] {
  return starts.map((start) => ({
    share,
    consumes: Object.fromEntries(Array.from({ length: size }, (_, index) => [`${gpu}/${start + index}`, 1]))
  }))
}

function cards(gpus: number): Room {
  const numbers = Array.from({ length: gpus }, (_, index) => index)
  return {
    counters: Object.fromEntries(
      numbers.flatMap((gpu) => Array.from({ length: 8 }, (_, slice) => [`${gpu}/${slice}`, 1]))
    ),
    units: numbers.flatMap((gpu) => [
      ...card(gpu, 0, [0, 1, 2, 3, 4, 5, 6], 1),
      ...card(gpu, 1, [0, 2, 4], 2),
      ...card(gpu, 2, [0, 4], 4)
    ])
  }
}

t.test('[SHA42] counts what can be given of one profile at one time', async (t) => {
  t.strictSame(
    [0, 1, 2, 3].map((share) => mostOf(cards(2), share)),
    [14, 6, 4, 0]
  )
})

t.test('[SHA42] a device that shares nothing counts by itself', async (t) => {
  const unit = { share: 0, consumes: {} }
  t.equal(mostOf({ counters: {}, units: [unit, { ...unit }, { share: 1, consumes: {} }] }, 0), 2)
})

t.test('[SHA42] a counter that nobody has, or has less of, gives nothing', async (t) => {
  const unit = { share: 0, consumes: { 'gone/x': 1 } }
  t.equal(mostOf({ counters: {}, units: [unit] }, 0), 0)
  t.equal(mostOf({ counters: { 'gone/x': Number.NaN }, units: [unit] }, 0), 0)
})

const together: readonly (readonly [want: boolean, gpus: number, shares: readonly number[]])[] = [
  [true, 1, []],
  [true, 1, [2, 1, 1]],
  [true, 1, [1, 2, 0, 0]],
  [false, 1, [2, 2, 0]],
  [true, 2, [2, 2, 0]],
  [true, 2, [2, 2, 2, 1, 1]],
  [false, 2, [2, 2, 2, 1, 1, 1]],
  [false, 1, [9]]
]
for (const [want, gpus, shares] of together) {
  t.test(`[SHA42] ${gpus} cards ${want ? 'hold' : 'do not hold'} [${shares.join()}]`, async (t) => {
    t.equal(holdsTogether(cards(gpus), shares), want)
  })
}

t.test('[SHA42] what takes too long to find out is not promised', async (t) => {
  const shares = Array.from({ length: 57 }, () => 0)
  const start = performance.now()
  t.equal(holdsTogether(cards(8), shares), false)
  t.ok(performance.now() - start < 2000)
})
