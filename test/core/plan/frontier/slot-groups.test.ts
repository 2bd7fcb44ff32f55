import t from 'tap'
import { slotGroups } from '../../../../src/core/plan/frontier/slot-groups.ts'

const cases = [
  { name: 'nobody asks for nothing', reach: [], want: [] },
  { name: 'one ask is one group', reach: [['b', 'a']], want: [['a', 'b']] },
  { name: 'a group within another is one of its own', reach: [['b'], ['a', 'b']], want: [['a', 'b'], ['b']] },
  {
    name: 'groups that share nothing are not joined: they are met when each is',
    reach: [['a'], ['b']],
    want: [['a'], ['b']]
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
  {
    name: 'as many pinned ones as there are, and one that runs in any: no more groups than these',
    reach: [...['a', 'b', 'c', 'd', 'e', 'f'].map((slot) => [slot]), ['a', 'b', 'c', 'd', 'e', 'f']],
    want: [['a'], ['a', 'b', 'c', 'd', 'e', 'f'], ['b'], ['c'], ['d'], ['e'], ['f']]
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
