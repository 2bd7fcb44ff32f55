import type { IntegerProgram } from '../../src/core/pack/integer-program.ts'

/** Three corners, each edge of which covers two: 2 edges are needed, and 1.5 would do in parts. */
export const triangle: IntegerProgram = {
  columns: ['ab', 'bc', 'ca'].map((name) => ({ name, cost: 1, most: 3, isWhole: true })),
  rows: [
    {
      name: 'a',
      least: 1,
      terms: [
        [0, 1],
        [2, 1]
      ]
    },
    {
      name: 'b',
      least: 1,
      terms: [
        [0, 1],
        [1, 1]
      ]
    },
    {
      name: 'c',
      least: 1,
      most: 2,
      terms: [
        [1, 1],
        [2, 1]
      ]
    }
  ]
}
