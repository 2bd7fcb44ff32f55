import t from 'tap'
import { restoreMaxima } from '../../../src/controllers/workloads/scraped-maxima.ts'
import { fieldAt } from '../../../src/core/json.ts'
import type { KeptMaxima, KeptSeries } from '../../../src/ports/kept-maxima.ts'
import { openScraping } from '../../../src/prometheus/scrape-source.ts'
import { aSeries, DAY_MS, NOON_MS, Rig } from '../rig.ts'

const dayMs = Math.floor(NOON_MS / DAY_MS) * DAY_MS

/** A series in the form of the scraping source. */
function kept(max: number, pod = 'app-6c9d7f8b5d-x2k4p'): KeptSeries {
  const { labels, metric, metricName } = aSeries({ pod })
  const days = [[dayMs, max, 60, 100, 0, 3_600]]
  return { labels, metric, metricName, days } as KeptSeries
}

/** A name that a ReplicaSet may give, in the letters that it uses. */
function podName(index: number): string {
  const letters = String(index)
    .padStart(5, '0')
    .split('')
    .map((digit) => 'bcdfghjklm'[Number(digit)])
  return `app-6c9d7f8b5d-${letters.join('')}`
}

function setUp() {
  let series = [kept(5200)]
  let gathers = true
  const taken: unknown[] = []
  const keeper: KeptMaxima = {
    isGathering: () => gathers,
    give: () => series,
    take: (given) => {
      taken.push(...given)
      return 0
    }
  }
  const rig = new Rig({ kept: keeper })
  rig.addPod()
  return {
    rig,
    taken,
    keeper,
    scraped: (): unknown => fieldAt(rig.workload(), 'status', 'scraped'),
    measure: (next: readonly KeptSeries[]) => {
      series = [...next]
    },
    stopGathering: () => {
      gathers = false
    }
  }
}

t.test('maxima of the workload are kept in its object, and those of others are not', async (t) => {
  const { rig, measure, scraped } = setUp()
  measure([kept(5200), kept(100, 'stranger')])

  await rig.refresh()

  t.strictSame(JSON.parse(String(scraped())), [kept(5200)])
})

t.test('what grows with every round is saved once an hour, or along with what changes', async (t) => {
  const { rig, measure, scraped } = setUp()
  await rig.refresh()

  measure([kept(5201)])
  rig.clock.advance(300_000)
  const soon = await rig.refresh()
  rig.clock.advance(3_600_000)
  const late = await rig.refresh()

  t.strictSame(soon, [])
  t.strictSame(late, ['status GpuWorkload team-a/deployment-app'])
  t.strictSame(JSON.parse(String(scraped())), [kept(5201)])
})

t.test('a new process gives them back before it reads', async (t) => {
  const { rig, keeper, taken } = setUp()
  await rig.refresh()
  const stopping = new AbortController()

  const running = rig.newProcess({ kept: keeper }).run(stopping.signal)
  await rig.clock.untilSleep(() => true)
  stopping.abort()
  await running

  t.strictSame(taken, [kept(5200)])
})

t.test('once another source was found nothing is kept any more', async (t) => {
  const { rig, stopGathering, scraped } = setUp()
  await rig.refresh()

  stopGathering()
  rig.clock.advance(3_600_000)
  await rig.refresh()

  t.equal(scraped(), undefined)
})

t.test('the text of one workload is bounded', async (t) => {
  const { rig, measure, scraped } = setUp()
  const pods = Array.from({ length: 200 }, (_, index) => `app-6c9d7f8b5d-p${index}`)
  for (const name of pods) rig.addPod({ name })
  measure(pods.map((pod) => kept(5200, pod)))

  await rig.refresh()

  t.equal(JSON.parse(String(scraped())).length, 128)
})

t.test('of too many pods those are kept that held the maximum of a day, the highest first', async (t) => {
  const { rig, measure, scraped } = setUp()
  const names = Array.from({ length: 300 }, (_, index) => podName(index))
  const dayOf = (index: number) => dayMs - (index % 20) * DAY_MS
  const valueOf = (index: number) => 1_000 + (index % 150)
  const ended = names.map((pod, index) => {
    const at = { dayMs: dayOf(index), firstMs: dayOf(index), lastMs: dayOf(index) + 3_600_000 }
    const day = { ...at, max: index === 299 ? 40_000 : valueOf(index), samples: 100 }
    return { ...aSeries({ pod, gpuUuid: `GPU-${index}` }), days: [day] }
  })
  rig.reading = {
    series: [aSeries({ gpuUuid: 'GPU-own', daysMiB: Array.from({ length: 20 }, () => 1) }), ...ended]
  }
  measure(names.map((pod) => kept(1, pod)))

  await rig.refresh()

  const pods = JSON.parse(String(scraped())).map(({ labels }: KeptSeries) => labels.pod)
  const holders = Array.from({ length: 20 }, (_, day) => {
    const onDay = names.filter((_, index) => index % 20 === day)
    const indexOf = (pod: string) => names.indexOf(pod)
    return onDay.reduce((high, pod) => (valueOf(indexOf(pod)) > valueOf(indexOf(high)) ? pod : high))
  })
  t.equal(pods.length, 128)
  t.equal(pods[0], podName(299))
  t.strictSame(
    holders.filter((pod) => names.indexOf(pod) % 20 !== 19 && !pods.includes(pod)),
    [],
    'one of each day'
  )
})

t.test('the scraping source takes back what it gave', async (t) => {
  const scraping = openScraping({ targets: () => [] })
  const keeper = {
    isGathering: () => true,
    give: () => [],
    take: (series: readonly unknown[]) => scraping.restore({ version: 1, series: [...series] })
  }
  const object = (scraped: string) => ({
    namespace: 'team-a',
    name: 'x',
    generation: 1,
    workload: { kind: 'Deployment', name: 'app' },
    apiVersion: undefined,
    status: { scraped }
  })

  const unread = restoreMaxima(keeper, [
    object(JSON.stringify([kept(5200)])),
    object('[{'),
    object('{}'),
    object(JSON.stringify([{ labels: {} }]))
  ])
  const reading = await scraping.read({ nowMs: NOON_MS, lookbackDays: 14 })
  await scraping.close()

  t.equal(unread, 3)
  t.match(reading.series, [{ labels: { pod: 'app-6c9d7f8b5d-x2k4p' }, days: [{ dayMs, max: 5200 }] }])
  t.equal(restoreMaxima(undefined, []), 0)
})
