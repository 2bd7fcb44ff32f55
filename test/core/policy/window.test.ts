import t from 'tap'
import { windowRule } from '../../../src/core/api/gpu-policy-rules.ts'
import { parseWindow, parseWindows } from '../../../src/core/policy/window.ts'

const shorthands: readonly (readonly [string, readonly number[], number])[] = [
  ['Sat 02:00-06:00 UTC', [6], 360],
  ['Mon-Fri 06:30-19:30 Pacific/Auckland', [1, 2, 3, 4, 5], 1170],
  ['Sat,Sun 00:00-24:00 UTC', [0, 6], 1440],
  ['Fri-Mon 22:00-04:00 Europe/Berlin', [0, 1, 5, 6], 1680],
  ['Mon,Wed-Thu,Wed 01:00-02:00 UTC', [1, 3, 4], 120],
  ['Daily 23:00-00:00 UTC', [0, 1, 2, 3, 4, 5, 6], 1440]
]

for (const [text, daysOfWeek, minute] of shorthands) {
  t.test(`reads ${text}`, async (t) => {
    const parsed = parseWindow(text)

    t.match(parsed, {
      ok: true,
      window: { kind: 'Allow', text, schedule: { daysOfWeek }, end: { kind: 'clock', minute } }
    })
    t.match(text, new RegExp(windowRule.pattern))
  })
}

const refused = [
  '',
  'Sat',
  'Sat 02:00-06:00',
  '02:00-06:00 UTC',
  'Sat 2:00-6:00 UTC',
  'Sat 02:00 UTC',
  'sat 02:00-06:00 UTC',
  'Saturday 02:00-06:00 UTC',
  'Xyz 02:00-06:00 UTC',
  'Mon-Wed-Fri 02:00-06:00 UTC',
  'Mon- 02:00-06:00 UTC',
  'Sat 24:00-06:00 UTC',
  'Sat 02:60-06:00 UTC',
  'Sat 02:00-24:01 UTC',
  'Sat 02:00-06:00 NZT',
  'Sat 02:00-06:00 +01:00'
]

for (const text of refused) {
  t.test(`refuses ${JSON.stringify(text)}, and so does the API server`, async (t) => {
    t.match(parseWindow(text), { ok: false, message: /must/ })
    t.notMatch(text, new RegExp(windowRule.pattern))
  })
}

t.test('refuses what only zone data and arithmetic can tell, and other types', async (t) => {
  t.match(parseWindow('Sat 02:00-06:00 Europe/Bonn'), { ok: false, message: /Europe\/Bonn/ })
  t.match(parseWindow('Sat 02:00-02:00 UTC'), { ok: false, message: /00:00-24:00 is the whole day/ })
  t.match(parseWindow(7), { ok: false })
})

t.test('reads a list of windows', async (t) => {
  const { windows, faults } = parseWindows(
    [
      { schedule: '0 22 * * 1-5', duration: '6h', timeZone: 'Europe/Berlin' },
      { kind: 'Deny', schedule: '0 0 24 12 *', duration: '72h', timeZone: 'UTC' }
    ],
    'spec.windows'
  )

  t.strictSame(faults, [])
  t.match(windows, [
    {
      kind: 'Allow',
      text: 'Allow 0 22 * * 1-5 for 6h Europe/Berlin',
      end: { kind: 'duration', seconds: 21_600 },
      timeZone: 'Europe/Berlin'
    },
    { kind: 'Deny', text: 'Deny 0 0 24 12 * for 72h UTC' }
  ])
})

t.test('tells every fault of a list and keeps the good windows', async (t) => {
  const good = { schedule: '0 22 * * *', duration: '1h', timeZone: 'UTC' }

  const { windows, faults } = parseWindows(
    [{ schedule: 'daily', duration: '0s', timeZone: 'CET' }, good, null, { ...good, duration: '367d' }],
    'spec.windows'
  )

  t.equal(windows.length, 1)
  t.strictSame(
    faults.map(({ field, value }) => [field, value]),
    [
      ['spec.windows[0].schedule', 'daily'],
      ['spec.windows[0].duration', '0s'],
      ['spec.windows[0].timeZone', 'CET'],
      ['spec.windows[2].schedule', undefined],
      ['spec.windows[2].duration', undefined],
      ['spec.windows[2].timeZone', undefined],
      ['spec.windows[3].duration', '367d']
    ]
  )
})
