import t from 'tap'
import { calendarDay, DAY_MS, dayAt, instantOf, parseZone } from '../../../src/core/policy/zone-time.ts'

function at(name: string, local: string): string {
  const zone = parseZone(name)
  const asUtcMs = Date.parse(`${local}:00Z`)
  const day = Math.floor(asUtcMs / DAY_MS)
  const minute = (asUtcMs - day * DAY_MS) / 60_000
  return zone === undefined ? 'no zone' : new Date(instantOf(zone, { day, minute })).toISOString()
}

const cases: readonly (readonly [string, string, string, string])[] = [
  ['UTC', '2026-02-01T06:30', '2026-02-01T06:30:00.000Z', 'no offset'],
  ['Europe/Berlin', '2026-01-15T12:00', '2026-01-15T11:00:00.000Z', 'winter'],
  ['Europe/Berlin', '2026-07-15T12:00', '2026-07-15T10:00:00.000Z', 'summer'],
  ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59:00.000Z', 'just before the gap'],
  [
    'Europe/Berlin',
    '2026-03-29T02:00',
    '2026-03-29T01:00:00.000Z',
    'start of the gap: the next minute that exists'
  ],
  ['Europe/Berlin', '2026-03-29T02:59', '2026-03-29T01:00:00.000Z', 'end of the gap: the same'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z', 'after the gap'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z', 'shown twice: the first'],
  ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00:00.000Z', 'after the second'],
  ['Pacific/Auckland', '2026-02-02T06:30', '2026-02-01T17:30:00.000Z', 'thirteen hours ahead'],
  ['Pacific/Auckland', '2026-04-06T06:30', '2026-04-05T18:30:00.000Z', 'the day after summer time'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:30:00.000Z', 'a gap of half an hour'],
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T10:00:00.000Z', 'a day that was left out']
]

for (const [zone, local, want, name] of cases) {
  t.test(`${zone} ${local}: ${name}`, async (t) => {
    t.equal(at(zone, local), want)
  })
}

t.test('takes UTC and regions, and refuses abbreviations, offsets and nonsense', async (t) => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Etc/GMT+5'])
    t.ok(parseZone(name), name)
  for (const name of ['NZT', 'CET', 'EST', '+02:00', 'UTC+2', 'Europe/Bonn', '', 'local', 7, null]) {
    t.equal(parseZone(name), undefined, String(name))
  }
})

t.test('knows the calendar day of an instant in the zone', async (t) => {
  const zone = parseZone('Pacific/Auckland')
  const day = zone && dayAt(zone, Date.parse('2026-02-01T18:00:00Z'))

  t.strictSame(calendarDay(day ?? 0), { month: 2, dayOfMonth: 2, weekday: 1 })
  t.strictSame(calendarDay(0), { month: 1, dayOfMonth: 1, weekday: 4 })
  t.strictSame(calendarDay(3), { month: 1, dayOfMonth: 4, weekday: 0 })
})
