import t from 'tap'
import { ChoosingSource, type FoundSource } from '../../src/controllers/choosing-source.ts'
import type { UsageReading, UsageSource } from '../../src/ports/usage-source.ts'
import { aReading, aSeries, DAY_MS, NOON_MS, unreachable } from './rig.ts'

interface FakeSource extends UsageSource {
  readonly name: string
  closed: number
  /** What the next readings say. */
  next: Partial<UsageReading>
}

function aSource(name: string, next: Partial<UsageReading> = {}): FakeSource {
  return {
    name,
    closed: 0,
    next,
    read({ nowMs }) {
      return Promise.resolve(aReading({ nowMs, metricNames: [name], ...this.next }))
    },
    close() {
      this.closed += 1
      return Promise.resolve()
    }
  }
}

const found = (source: FakeSource): FoundSource => ({ name: source.name, open: () => source })
const down = { status: 'failed', metricNames: [], series: [], faults: [unreachable] } as const
const request = { nowMs: NOON_MS, lookbackDays: 14 }

t.test('it is looked for before each reading until it is found, and then kept', async (t) => {
  const wanted = aSource('wanted')
  const answers = [undefined, found(wanted)]
  let asked = 0
  const source = new ChoosingSource({
    find: () => {
      asked += 1
      return Promise.resolve(answers.shift())
    },
    fallback: aSource('fallback')
  })

  const names: unknown[] = []
  const isFound: boolean[] = []
  for (let reading = 0; reading < 3; reading += 1) {
    names.push((await source.read(request)).metricNames[0])
    isFound.push(source.isFound)
  }

  t.strictSame(names, ['fallback', 'wanted', 'wanted'])
  t.strictSame(isFound, [false, true, true])
  t.equal(asked, 2)
})

t.test('a server that names no metric of a GPU is not chosen, whatever its labels say', async (t) => {
  const other = aSource('other', { metricNames: [], series: [] })
  const source = new ChoosingSource({
    find: () => Promise.resolve(found(other)),
    fallback: aSource('fallback')
  })

  const before = await source.read(request)
  const isFoundBefore = source.isFound
  other.next = {}
  const after = await source.read(request)

  t.match(before, { status: 'complete', metricNames: ['fallback'] })
  t.equal(isFoundBefore, false)
  t.match(after, { metricNames: ['other'] })
  t.equal(other.closed, 0)
})

t.test('one that fails again and again is looked for anew, and what it knew is missed', async (t) => {
  const [first, second] = [aSource('first'), aSource('second')]
  let current = first
  const source = new ChoosingSource({
    find: () => Promise.resolve(found(current)),
    fallback: aSource('fallback')
  })
  await source.read(request)
  first.next = down

  const failing = [await source.read(request), await source.read(request)]
  const lost = await source.read(request)
  const isFoundThen = source.isFound
  const later = await source.read({ ...request, nowMs: NOON_MS + 14 * DAY_MS })
  current = second
  const next = await source.read(request)

  t.match(failing, [down, down])
  t.match(lost, { status: 'partial', metricNames: ['fallback'], faults: [{ kind: 'no-target' }] })
  t.notOk('missingNodes' in lost)
  t.equal(isFoundThen, false)
  t.match(later, { status: 'complete', metricNames: ['fallback'] }, 'until its days are over')
  t.match(next, { status: 'complete', metricNames: ['second'] })
  t.strictSame([first.closed, second.closed], [1, 0])
})

t.test('one that answers again is read again, with what it has read', async (t) => {
  const wanted = aSource('wanted')
  let opened = 0
  const open = () => {
    opened += 1
    return wanted
  }
  const source = new ChoosingSource({ find: () => Promise.resolve({ name: 'wanted', open }) })
  await source.read(request)
  wanted.next = down
  for (let reading = 0; reading < 5; reading += 1) t.match(await source.read(request), down)
  wanted.next = {}

  t.match(await source.read(request), { status: 'complete' })
  t.strictSame([source.isFound, opened, wanted.closed], [true, 1, 0])
})

t.test(
  'what was gathered before stays in the reading, up to the first day that the server knows',
  async (t) => {
    const scraped = aSeries({ pod: 'scraped', daysMiB: Array.from({ length: 14 }, () => 9000) })
    const measured = aSeries({ daysMiB: [5200, 5200] })
    const wanted = aSource('wanted', { series: [measured] })
    const source = new ChoosingSource({
      find: () => Promise.resolve(found(wanted)),
      fallback: aSource('fallback', { ...down, series: [scraped] })
    })

    const both = await source.read(request)
    wanted.next = { series: [aSeries({ daysMiB: Array.from({ length: 20 }, () => 5200) })] }
    const alone = await source.read(request)

    t.match(both, { status: 'complete', metricNames: ['wanted'], faults: [] })
    t.strictSame(both.series, [{ ...scraped, days: scraped.days.slice(0, 13) }, measured])
    t.strictSame(alone.series, wanted.next.series)
  }
)

t.test('without one and without a fallback a reading fails and says so', async (t) => {
  const source = new ChoosingSource({ find: () => Promise.resolve(undefined) })

  t.match(await source.read(request), {
    status: 'failed',
    nowMs: NOON_MS,
    series: [],
    faults: [{ kind: 'no-target' }]
  })
})

t.test('a search that throws is a failed refresh, not a failed source', async (t) => {
  const source = new ChoosingSource({ find: () => Promise.reject(new TypeError('planted')) })

  await t.rejects(source.read(request), { message: 'planted' })
})

t.test('both are closed', async (t) => {
  const [wanted, fallback] = [aSource('wanted'), aSource('fallback')]
  const source = new ChoosingSource({ find: () => Promise.resolve(found(wanted)), fallback })
  await source.read(request)

  await source.close()

  t.strictSame([wanted.closed, fallback.closed], [1, 1])
})
