import t from 'tap'
import { headroomRule } from '../../../src/core/api/gpu-policy-rules.ts'
import { parseBusyAbove, parseHeadroom } from '../../../src/core/policy/headroom.ts'

const taken: readonly (readonly [unknown, number])[] = [
  ['20%', 0.2],
  [0.2, 0.2],
  ['15.0%', 0.15],
  ['15%', 0.15],
  ['0.15', 0.15],
  ['0%', 0],
  [20, 0.2],
  ['20', 0.2],
  ['20 %', 0.2],
  [0, 0],
  ['0', 0],
  ['.5', 0.5],
  [2, 0.02],
  ['1%', 0.01],
  ['100%', 1],
  [500, 5],
  ['500%', 5],
  [' 20% ', 0.2]
]

for (const [value, ratio] of taken) {
  t.test(`reads ${JSON.stringify(value)} as ${ratio}`, async (t) => {
    t.strictSame(parseHeadroom(value), { ok: true, ratio })
  })
}

const refused = [
  1.2,
  '1.2',
  1,
  '1',
  1.5,
  '20.5',
  '-10%',
  -0.1,
  -20,
  '20pct',
  'NaN',
  Number.NaN,
  '',
  ' ',
  '%',
  '20%%',
  '1e1',
  '+20%',
  '0x10',
  '20,5%',
  '501%',
  501,
  '2000%',
  Number.POSITIVE_INFINITY,
  null,
  undefined,
  true,
  ['20%'],
  {}
]

for (const value of refused) {
  t.test(`refuses ${typeof value} ${JSON.stringify(value)} with a message`, async (t) => {
    const parsed = parseHeadroom(value)

    t.notOk(parsed.ok)
    t.match(parsed, { message: /must be a percentage from 0% to 500%/ })
  })
}

t.test('equal spellings give equal needs: a peak of 8000 MiB needs 9200', async (t) => {
  for (const value of ['15%', '0.15', '15.0%', 15]) {
    const parsed = parseHeadroom(value)
    t.equal(parsed.ok ? 8000 * (1 + parsed.ratio) : 0, 9200)
  }
})

t.test('the rule of the API server takes nothing that the core refuses', async (t) => {
  const rule = new RegExp(headroomRule.pattern)

  for (const value of refused.filter((value) => typeof value === 'string' || typeof value === 'number')) {
    t.notOk(rule.test(String(value)), String(value))
  }
  for (const [value] of taken.filter(([value]) => value !== ' 20% '))
    t.ok(rule.test(String(value)), String(value))
})

t.test('reads from which compute a workload is busy', async (t) => {
  const ratioOf = (value: unknown) => {
    const parsed = parseBusyAbove(value)
    return parsed.ok ? parsed.ratio : parsed.message
  }

  t.strictSame(['0.8', '80%', '80 %', '100%', '.5', 0.8, '0'].map(ratioOf), [0.8, 0.8, 0.8, 1, 0.5, 0.8, 0])
  for (const value of ['80', '1', '101%', '', 'busy', null, undefined])
    t.match(ratioOf(value), /must be a fraction below 1/)
})
