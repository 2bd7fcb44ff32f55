import t from 'tap'
import { type PolicyWindow, parseWindow, parseWindows } from '../../../src/core/policy/window.ts'
import { windowAt } from '../../../src/core/policy/window-at.ts'

function short(text: string): readonly PolicyWindow[] {
  const parsed = parseWindow(text)
  return parsed.ok ? [parsed.window] : []
}

const list = (...entries: readonly object[]) => parseWindows(entries, 'spec.windows').windows

const night = { schedule: '0 22 * * 1-5', duration: '6h', timeZone: 'Europe/Berlin' }
const holiday = { kind: 'Deny', schedule: '0 0 24 12 *', duration: '72h', timeZone: 'Europe/Berlin' }
const working = short('Mon-Fri 06:30-19:30 Pacific/Auckland')
const saturday = short('Sat 02:00-06:00 UTC')

interface Case {
  readonly name: string
  readonly windows: readonly PolicyWindow[]
  readonly at: string
  readonly want: readonly [boolean, string, string]
}

const cases: readonly Case[] = [
  {
    name: 'inside, though UTC says Sunday',
    windows: working,
    at: '2026-02-01T18:00Z',
    want: [true, '2026-02-01T17:30Z', '2026-02-02T06:30Z']
  },
  {
    name: 'before the start on Monday',
    windows: working,
    at: '2026-02-01T16:00Z',
    want: [false, '2026-02-01T17:30Z', '2026-02-02T06:30Z']
  },
  {
    name: 'after the end on Friday',
    windows: working,
    at: '2026-02-06T07:00Z',
    want: [false, '2026-02-08T17:30Z', '2026-02-09T06:30Z']
  },
  {
    name: 'the day after summer time',
    windows: working,
    at: '2026-04-05T18:15Z',
    want: [false, '2026-04-05T18:30Z', '2026-04-06T07:30Z']
  },
  {
    name: 'at the first minute',
    windows: saturday,
    at: '2026-12-05T02:00Z',
    want: [true, '2026-12-05T02:00Z', '2026-12-05T06:00Z']
  },
  {
    name: 'at the last minute',
    windows: saturday,
    at: '2026-12-05T05:59Z',
    want: [true, '2026-12-05T02:00Z', '2026-12-05T06:00Z']
  },
  {
    name: 'when it closes',
    windows: saturday,
    at: '2026-12-05T06:00Z',
    want: [false, '2026-12-12T02:00Z', '2026-12-12T06:00Z']
  },
  {
    name: 'past midnight belongs to the first day',
    windows: short('Fri 22:00-04:00 UTC'),
    at: '2026-12-05T03:00Z',
    want: [true, '2026-12-04T22:00Z', '2026-12-05T04:00Z']
  },
  {
    name: 'past midnight, a day early',
    windows: short('Fri 22:00-04:00 UTC'),
    at: '2026-12-04T03:00Z',
    want: [false, '2026-12-04T22:00Z', '2026-12-05T04:00Z']
  },
  {
    name: 'a start that the clock skips',
    windows: short('Sun 02:30-05:00 Europe/Berlin'),
    at: '2026-03-28T12:00Z',
    want: [false, '2026-03-29T01:00Z', '2026-03-29T03:00Z']
  },
  {
    name: 'a window that the clock skips whole waits a week',
    windows: short('Sun 02:10-02:50 Europe/Berlin'),
    at: '2026-03-28T12:00Z',
    want: [false, '2026-04-05T00:10Z', '2026-04-05T00:50Z']
  },
  {
    name: 'a start that the clock shows twice opens once',
    windows: short('Sun 02:30-05:00 Europe/Berlin'),
    at: '2026-10-25T01:30Z',
    want: [true, '2026-10-25T00:30Z', '2026-10-25T04:00Z']
  },
  {
    name: 'two days that touch are one time',
    windows: short('Sat,Sun 00:00-24:00 UTC'),
    at: '2026-12-05T12:00Z',
    want: [true, '2026-12-05T00:00Z', '2026-12-07T00:00Z']
  },
  {
    name: 'a schedule with a duration',
    windows: list(night),
    at: '2026-11-30T00:00Z',
    want: [false, '2026-11-30T21:00Z', '2026-12-01T03:00Z']
  },
  {
    name: 'a duration counts hours that pass, not the clock',
    windows: list({ ...night, schedule: '0 22 * * 6' }),
    at: '2026-03-28T22:00Z',
    want: [true, '2026-03-28T21:00Z', '2026-03-29T03:00Z']
  },
  {
    name: 'deny wins over all of a window',
    windows: list(night, holiday),
    at: '2026-12-24T12:00Z',
    want: [false, '2026-12-28T21:00Z', '2026-12-29T03:00Z']
  },
  {
    name: 'deny cuts the end off',
    windows: list(night, holiday),
    at: '2026-12-23T22:00Z',
    want: [true, '2026-12-23T21:00Z', '2026-12-23T23:00Z']
  },
  {
    name: 'deny cuts the middle out',
    windows: list(
      { schedule: '0 0 * * *', duration: '1d', timeZone: 'UTC' },
      { kind: 'Deny', schedule: '0 9 * * *', duration: '8h', timeZone: 'UTC' }
    ),
    at: '2026-12-05T10:00Z',
    want: [false, '2026-12-05T17:00Z', '2026-12-06T09:00Z']
  },
  {
    name: 'only deny: open until it begins',
    windows: list(holiday),
    at: '2026-12-20T00:00Z',
    want: [true, '', '2026-12-23T23:00Z']
  },
  {
    name: 'only deny: open after it',
    windows: list(holiday),
    at: '2026-12-24T12:00Z',
    want: [false, '2026-12-26T23:00Z', '']
  },
  {
    name: 'once in four years',
    windows: list({ schedule: '0 0 29 2 *', duration: '1h', timeZone: 'UTC' }),
    at: '2096-03-01T00:00Z',
    want: [false, '2104-02-29T00:00Z', '2104-02-29T01:00Z']
  }
]

for (const { name, windows, at, want } of cases) {
  t.test(`${name}: ${at}`, async (t) => {
    const state = windowAt(windows, Date.parse(at.replace('Z', ':00Z')))

    const print = (ms = 0) => new Date(ms).toISOString().replace(':00.000Z', 'Z')
    const [open, opens, closes] = want
    t.equal(state?.open, open)
    if (opens !== '') t.equal(print(state?.opensMs), opens)
    if (closes !== '') t.equal(print(state?.closesMs), closes)
  })
}

t.test('an empty list has no window, and one that never opens has none either', async (t) => {
  const never = list({ schedule: '0 0 30 2 *', duration: '1h', timeZone: 'UTC' })
  const always = { schedule: '0 0 * * *', duration: '1d', timeZone: 'UTC' }

  t.equal(windowAt([], 0), undefined)
  t.equal(windowAt(never, Date.parse('2026-12-05T00:00:00Z')), undefined)
  t.equal(windowAt(list(always, { ...always, kind: 'Deny' }), Date.parse('2026-12-05T00:00:00Z')), undefined)
})

t.test('a window that never closes is open', async (t) => {
  const nowMs = Date.parse('2026-12-05T12:00:00Z')
  const state = windowAt(short('Daily 00:00-24:00 UTC'), nowMs)

  t.equal(state?.open, true)
  t.ok((state?.closesMs ?? 0) > nowMs + 30 * 86_400_000)
})

t.test('a window of a zone that is not known never opens', async (t) => {
  const unknown = saturday.map((window) => ({ ...window, timeZone: 'Europe/Bonn' }))

  t.equal(windowAt(unknown, 0), undefined)
})
