import t from 'tap'
import { slotGroups } from '../../../../src/core/plan/frontier/slot-groups.ts'

const cases = [
  { name: 'nobody asks for nothing', reach: [], want: [] },
  { name: 'one ask is one group', reach: [['b', 'a']], want: [['a', 'b']] },
  { name: 'a group within another is one of its own', reach: [['b'], ['a', 'b']], want: [['a', 'b'], ['b']] },
  {
    name: 'groups that share nothing are joined too',
    reach: [['a'], ['b']],
    want: [['a'], ['a', 'b'], ['b']]
  },
  {
    name: 'groups that overlap are joined',
    reach: [
      ['a', 'b'],
      ['b', 'c']
    ],
    want: [
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['b', 'c']
    ]
  },
  { name: 'the same group comes once', reach: [['a'], ['a']], want: [['a']] },
  { name: 'an ask that reaches nothing is a group of nothing', reach: [[], ['a']], want: [[], ['a']] }
]

for (const { name, reach, want } of cases) {
  t.test(`[PLAN2] ${name}`, (t) => {
    const groups = slotGroups(reach.map((slots) => new Set(slots)))

    t.strictSame(
      groups.map((group) => [...group]),
      want
    )
    t.end()
  })
}
