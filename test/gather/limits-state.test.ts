import t from 'tap'
import type { LimitRange } from '../../src/core/quota/limit-range.ts'
import { readLimitRange } from '../../src/core/quota/limit-range.ts'
import { noLimits } from '../../src/core/quota/namespace-limits.ts'
import { type ResourceQuota, readResourceQuota } from '../../src/core/quota/resource-quota.ts'
import { LimitsState } from '../../src/gather/limits-state.ts'
import { aRawLimitRange, aRawQuota } from '../build/quota.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const KEY = 'requests.nvidia.com/mig-1g.10gb'
const NOW = 1_000_000

function quota(name: string, used: string, hard = '9'): ResourceQuota {
  const read = readResourceQuota(aRawQuota({ name, counts: { [KEY]: [hard, used] } }))
  if (read === undefined) throw new Error('a test gave no quota')
  return read
}

function aState() {
  const stores = { quotas: new MemoryStore<ResourceQuota>(), limitRanges: new MemoryStore<LimitRange>() }
  stores.quotas.set('team-a', 'b', quota('b', '0'))
  return { stores, state: new LimitsState(stores) }
}

/** How many of the key are in flight. */
function flying(state: LimitsState, nowMs = NOW): number {
  return state.of('team-a', nowMs).inFlight[KEY] ?? 0
}

t.test(
  '[QUOTA5] what is there at the start and what changes is told by namespace, in order of names',
  async (t) => {
    const { stores, state } = aState()
    const range = readLimitRange(aRawLimitRange([{ type: 'Pod', max: { 'nvidia.com/gpu': '1' } }]))

    stores.quotas.set('team-a', 'c', quota('c', '1'))
    stores.quotas.set('team-a', 'a', quota('a', '1'))
    stores.quotas.set('team-a', 'b', quota('b', '5'))
    if (range !== undefined) stores.limitRanges.set('team-a', 'defaults', range)

    const limits = state.of('team-a', NOW)
    t.strictSame(
      limits.quotas.map(({ name, limits: of }) => [name, of[KEY]?.used]),
      [
        ['a', 1],
        ['b', 5],
        ['c', 1]
      ]
    )
    t.strictSame(limits.limitRanges, [range])
    t.equal(state.of('team-b', NOW), noLimits)

    for (const name of ['a', 'b', 'c']) stores.quotas.remove('team-a', name)
    stores.limitRanges.remove('team-a', 'defaults')
    t.equal(state.of('team-a', NOW), noLimits)
  }
)

t.test('[QUOTA5] an answer is in flight until the quota counts it', async (t) => {
  const { stores, state } = aState()

  state.note('team-a', { [KEY]: 2, 'requests.nvidia.com/gpu': 1 }, NOW)
  state.note('team-a', { [KEY]: 1 }, NOW)

  t.strictSame(state.of('team-a', NOW).inFlight, { [KEY]: 3 }, 'what nothing limits is not kept')
  stores.quotas.set('team-a', 'b', quota('b', '1'))
  t.equal(flying(state), 2)
  stores.quotas.set('team-a', 'b', quota('b', '1', '7'))
  t.equal(flying(state), 2, 'another limit is no use')
  stores.quotas.set('team-a', 'b', quota('b', '0'))
  t.equal(flying(state), 2, 'a pod that ended is none of them')
  stores.quotas.set('team-a', 'b', quota('b', '9'))
  t.equal(flying(state), 0)
})

t.test('[QUOTA5] an answer that never comes is forgotten after five seconds', async (t) => {
  const { state } = aState()

  state.note('team-a', { [KEY]: 1 }, NOW)
  state.note('team-a', { [KEY]: 1 }, NOW + 3000)

  t.equal(flying(state, NOW + 4999), 2)
  t.equal(flying(state, NOW + 5000), 1)
  t.equal(flying(state, NOW + 8000), 0)
  t.strictSame(state.of('team-a', NOW).inFlight, {}, 'and takes no memory')
})

t.test('[QUOTA5] a namespace without a quota keeps nothing', async (t) => {
  const { state } = aState()

  state.note('team-b', { [KEY]: 1 }, NOW)

  t.strictSame(state.of('team-b', NOW).inFlight, {})
})

t.test('nothing is kept up with after the end', async (t) => {
  const { stores, state } = aState()

  state.close()
  stores.quotas.set('team-a', 'b', quota('b', '5'))

  t.equal(state.of('team-a', NOW).quotas[0]?.limits[KEY]?.used, 0)
})
