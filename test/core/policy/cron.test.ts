import t from 'tap'
import { scheduleRule } from '../../../src/core/api/gpu-policy-rules.ts'
import { opensOn, parseCron, startsOfDay } from '../../../src/core/policy/cron.ts'

const everyDay = Array.from({ length: 31 }, (_, index) => index + 1)
const everyMonth = everyDay.slice(0, 12)

t.test('reads every form of a field', async (t) => {
  t.strictSame(parseCron('0 22 * * 1-5'), {
    minutes: [0],
    hours: [22],
    daysOfMonth: everyDay,
    months: everyMonth,
    daysOfWeek: [1, 2, 3, 4, 5],
    eitherDay: false
  })
  t.match(parseCron('*/15 2,4 1-7/2 JAN,DEC SUN'), {
    minutes: [0, 15, 30, 45],
    hours: [2, 4],
    daysOfMonth: [1, 3, 5, 7],
    months: [1, 12],
    daysOfWeek: [0],
    eitherDay: true
  })
  t.match(parseCron('50/5 0 * * 6-7'), { minutes: [50, 55], daysOfWeek: [0, 6] })
  t.match(parseCron(' 5  1 * * MON-FRI '), { minutes: [5], daysOfWeek: [1, 2, 3, 4, 5] })
})

const refused = [
  '',
  '* * * *',
  '0 0 0 * *',
  '0 0 1 13 *',
  '60 0 * * *',
  '0 24 * * *',
  '0 0 * * 8',
  '0 0 * * MONDAY',

  '0 22 * * 1-5 2026',
  '@daily',
  '0 22 * * 1-',
  '0 22 * * -5',
  '0 0 * * 1//2',
  '0 0 * * 1/0',
  'a b c d e',
  '0 0 * * FOO',
  '0 1E1 * * *',
  '0,, 0 * * *'
]

for (const text of refused) {
  t.test(`refuses ${JSON.stringify(text)}, and so does the API server`, async (t) => {
    t.equal(parseCron(text), undefined)
    t.notMatch(text, new RegExp(scheduleRule.pattern))
  })
}

t.test('refuses ranges that run backwards, too many openings, long texts and other types', async (t) => {
  for (const text of ['0 22 * * 5-1', '* * * * *', '*/2 * * * *', `0 0 * * ${'1,'.repeat(80)}1`, 5, null]) {
    t.equal(parseCron(text), undefined)
  }
  t.equal(parseCron('0 * * * *')?.hours.length, 24)
})

t.test('opens on days of both fields, or of either when both are restricted', async (t) => {
  const christmas = { month: 12, dayOfMonth: 24, weekday: 4 }
  const sunday = { month: 12, dayOfMonth: 25, weekday: 0 }
  const opens = (text: string) => {
    const schedule = parseCron(text)
    return schedule === undefined ? [] : [opensOn(schedule, christmas), opensOn(schedule, sunday)]
  }

  t.strictSame(opens('0 0 24 12 *'), [true, false])
  t.strictSame(opens('0 0 * * 0'), [false, true])
  t.strictSame(opens('0 0 24 * 0'), [true, true])
  t.strictSame(opens('0 0 * 11 *'), [false, false])
})

t.test('lists the starts of a day in order', async (t) => {
  const schedule = parseCron('0,30 2,22 * * *')

  t.strictSame(schedule && startsOfDay(schedule), [120, 150, 1320, 1350])
})
