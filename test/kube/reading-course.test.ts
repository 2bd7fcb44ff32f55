import t from 'tap'
import { ReadingCourse } from '../../src/kube/reading-course.ts'
import { FakeClock } from '../fakes/fake-clock.ts'

const MINUTE_MS = 60_000

function start({ random = 0.5 } = {}): { course: ReadingCourse; clock: FakeClock } {
  const clock = new FakeClock()
  const options = { clock, random: () => random, pageSize: 500, checkMs: 30 * MINUTE_MS }
  return { course: new ReadingCourse(options), clock }
}

t.test('lists first, then watches from where it came to', async (t) => {
  const { course } = start()

  t.strictSame(course.next(), { kind: 'list', pageSize: 500 })
  course.listBegins()
  course.listed('7')
  t.strictSame(course.next(), { kind: 'watch', resourceVersion: '7' })
  course.heard('9')
  t.strictSame(course.next(), { kind: 'watch', resourceVersion: '9' })
})

for (const { random, minutes } of [
  { random: 0, minutes: 27 },
  { random: 0.5, minutes: 30 },
  { random: 1, minutes: 33 }
]) {
  t.test(`drawing ${random}, a check is due ${minutes} minutes after the last list began`, async (t) => {
    const { course, clock } = start({ random })
    course.listBegins()
    course.listed('7')

    clock.advance(minutes * MINUTE_MS - 1)
    t.equal(course.next().kind, 'watch')
    clock.advance(1)
    t.strictSame(course.next(), { kind: 'check', pageSize: 500, resourceVersion: '7' })
    course.listBegins()
    t.equal(course.next().kind, 'watch', 'one that failed is left for the next time')
  })
}

t.test('silence is doubted after four minutes, and no clock that is set moves that', async (t) => {
  const { course, clock } = start()
  course.listBegins()
  course.listed('7')

  clock.jump(86_400_000)
  clock.advance(4 * MINUTE_MS - 1)
  course.fellSilent()
  t.equal(course.unheardMs(), 4 * MINUTE_MS - 1)
  t.equal(course.next().kind, 'watch')
  clock.jump(-172_800_000)
  clock.advance(1)
  course.fellSilent()
  t.equal(course.next().kind, 'list')
})

t.test(
  'each list whose page token ran out is followed by one of longer pages, until one comes',
  async (t) => {
    const { course } = start()
    const pages: unknown[] = []

    for (let n = 0; n < 9; n += 1) {
      const reading = course.next()
      pages.push('pageSize' in reading ? reading.pageSize : undefined)
      course.expired(reading)
    }
    course.listed('7')
    course.doubt()

    t.strictSame(pages.slice(0, 3), [500, 2000, 8000])
    t.strictSame(pages.slice(6), [2_048_000, 2_048_000, 2_048_000])
    t.strictSame(course.next(), { kind: 'list', pageSize: 500 })
  }
)

t.test('a version that ran out, of a watch or a check, is followed by a list of usual pages', async (t) => {
  const { course } = start()
  for (const reading of [
    { kind: 'watch', resourceVersion: '7' },
    { kind: 'check', resourceVersion: '7', pageSize: 500 }
  ] as const) {
    course.listed('7')

    course.expired(reading)

    t.strictSame(course.next(), { kind: 'list', pageSize: 500 })
  }
})

t.test('nothing is unheard before the first list', async (t) => {
  const { course, clock } = start()

  clock.advance(MINUTE_MS)

  t.equal(course.unheardMs(), 0)
})
