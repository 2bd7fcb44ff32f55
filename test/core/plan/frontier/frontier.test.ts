import t from 'tap'
import { findKnee, pointUnits } from '../../../../src/core/plan/frontier/frontier.ts'

const knees = [
  { name: 'no point has no knee', points: [], want: undefined },
  { name: 'one point is the knee', points: [[1, 10]], want: 0 },
  // Above the line: 0.07, 0.14, 0.21, 0.
  {
    name: 'the knee comes before the dear part',
    points: [
      [25, 25],
      [50, 50],
      [75, 75],
      [100, 140]
    ],
    want: 2
  },
  // Above the line: 0.4, 0.3, 0.
  {
    name: 'the knee may be the first point',
    points: [
      [5, 10],
      [7, 40],
      [10, 100]
    ],
    want: 0
  },
  // Above the line: -0.2, 0.
  {
    name: 'where all that is cheap comes last, the knee is the last',
    points: [
      [1, 70],
      [2, 100]
    ],
    want: 1
  },
  {
    name: 'of points on one line the last is the knee',
    points: [
      [1, 0.1],
      [2, 0.2],
      [3, 0.3]
    ],
    want: 2
  },
  {
    name: 'where nothing costs anything the last is the knee',
    points: [
      [1, 0],
      [2, 0]
    ],
    want: 1
  }
]

for (const { name, points, want } of knees) {
  t.test(`[PLAN7] ${name}`, (t) => {
    t.equal(findKnee(points.map(([freed = 0, costSeconds = 0]) => ({ freed, costSeconds }))), want)
    t.end()
  })
}

const parts = [
  { most: 3, points: 10, want: [1, 2, 3] },
  { most: 10, points: 3, want: [3, 7, 10] },
  { most: 100, points: 4, want: [25, 50, 75, 100] },
  { most: 5, points: 5, want: [1, 2, 3, 4, 5] },
  { most: 7, points: 1, want: [7] },
  { most: 0, points: 5, want: [] },
  { most: 2, points: Number.MAX_SAFE_INTEGER, want: [1, 2] }
]

for (const { most, points, want } of parts) {
  t.test(`[PLAN3] ${points} points of ${most} free ${want.join(', ') || 'nothing'}`, (t) => {
    t.strictSame(pointUnits(most, points), want)
    t.end()
  })
}
