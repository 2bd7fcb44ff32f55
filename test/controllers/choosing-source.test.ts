import t from 'tap'
import { ChoosingSource } from '../../src/controllers/choosing-source.ts'
import type { UsageSource } from '../../src/ports/usage-source.ts'
import { aReading, NOON_MS } from './rig.ts'

function aSource(name: string): UsageSource & { closed: number } {
  return {
    closed: 0,
    read: ({ nowMs }) => Promise.resolve(aReading({ nowMs, metricNames: [name] })),
    close() {
      this.closed += 1
      return Promise.resolve()
    }
  }
}

const request = { nowMs: NOON_MS, lookbackDays: 14 }

t.test('it is looked for before each reading until it is found, and then kept', async (t) => {
  const wanted = aSource('wanted')
  const answers = [undefined, wanted]
  let asked = 0
  const source = new ChoosingSource({
    find: () => {
      asked += 1
      return Promise.resolve(answers.shift())
    },
    fallback: aSource('fallback')
  })

  const names: unknown[] = []
  const found: boolean[] = []
  for (let reading = 0; reading < 3; reading += 1) {
    names.push((await source.read(request)).metricNames[0])
    found.push(source.isFound)
  }

  t.strictSame(names, ['fallback', 'wanted', 'wanted'])
  t.strictSame(found, [false, true, true])
  t.equal(asked, 2)
})

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
  const source = new ChoosingSource({ find: () => Promise.resolve(wanted), fallback })
  await source.read(request)

  await source.close()

  t.strictSame([wanted.closed, fallback.closed], [1, 1])
})
