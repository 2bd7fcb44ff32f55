import t from 'tap'
import { profileRule } from '../../../src/core/api/gpu-policy-rules.ts'
import { migResourceName } from '../../../src/core/gpu/resource-name.ts'
import { parseProfileList } from '../../../src/core/policy/profile-list.ts'

const taken: readonly (readonly [string, string, string])[] = [
  ['1g.10gb', '1g.10gb', 'nvidia.com/mig-1g.10gb'],
  ['mig-1g.10gb', '1g.10gb', 'nvidia.com/mig-1g.10gb'],
  ['nvidia.com/mig-1g.10gb', '1g.10gb', 'nvidia.com/mig-1g.10gb'],
  ['1G.10GB', '1g.10gb', 'nvidia.com/mig-1g.10gb'],
  [' 1g.10gb ', '1g.10gb', 'nvidia.com/mig-1g.10gb'],
  ['1g.10gb+me', '1g.10gb+me', 'nvidia.com/mig-1g.10gb.me'],
  ['mig-1g.10gb.me', '1g.10gb+me', 'nvidia.com/mig-1g.10gb.me'],
  ['1g.24gb-me', '1g.24gb-me', 'nvidia.com/mig-1g.24gb-me'],
  ['1g.24gb+me.all', '1g.24gb+me.all', 'nvidia.com/mig-1g.24gb.me.all'],
  ['nvidia.com/mig-1g.24gb.me.all', '1g.24gb+me.all', 'nvidia.com/mig-1g.24gb.me.all'],
  ['1g.24gb+gfx', '1g.24gb+gfx', 'nvidia.com/mig-1g.24gb.gfx'],
  ['3g.71gb', '3g.71gb', 'nvidia.com/mig-3g.71gb']
]

for (const [value, profile, resource] of taken) {
  t.test(`reads ${JSON.stringify(value)} as ${profile}`, async (t) => {
    t.strictSame(parseProfileList([value]), { profiles: [profile], refused: [] })
    t.equal(migResourceName(profile), resource)
    t.match(value, new RegExp(profileRule.pattern))
  })
}

const refused = [
  'all-1g.10gb',
  'all-balanced',
  'MIG1g',
  '7',
  '1g10gb',
  '',
  ' ',
  'nvidia.com/gpu',
  'nvidia.com/mig-',

  'nvidia.com/mig-1g.10gb.shared',
  '1g.10gb+foo',
  '0g.10gb',
  'mig-mig-1g.10gb',
  '1c.2g.20gb',
  'mig-1c.3g.20gb'
]

for (const value of refused) {
  t.test(`refuses ${JSON.stringify(value)}, and so does the API server`, async (t) => {
    const { profiles, refused: entries } = parseProfileList([value])

    t.strictSame(profiles, [])
    t.match(entries, [{ index: 0, value, message: /must be the/ }])
    t.notMatch(value, new RegExp(profileRule.pattern))
  })
}

t.test('says that compute instances are not offered', async (t) => {
  t.match(parseProfileList(['1c.2g.20gb']).refused, [{ message: /compute instance/ }])
})

t.test(
  'keeps the good entries of a list, each once and in order, and tells the others by place',
  async (t) => {
    const list = parseProfileList(['2g.20gb', 'all-balanced', '1g.10gb', 'mig-2g.20gb', 7, null])

    t.strictSame(list.profiles, ['2g.20gb', '1g.10gb'])
    t.strictSame(
      list.refused.map(({ index, value }) => [index, value]),
      [
        [1, 'all-balanced'],
        [4, 7],
        [5, null]
      ]
    )
  }
)

t.test('a list in which everything was refused allows nothing', async (t) => {
  t.strictSame(parseProfileList(['all-balanced', 'MIG1g']).profiles, [])
  t.strictSame(parseProfileList([]), { profiles: [], refused: [] })
})
