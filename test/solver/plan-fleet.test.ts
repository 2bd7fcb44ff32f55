import t from 'tap'
import { keptCards, sharedCards, WHOLE_CARD, wholeCards } from '../../src/core/pack/card-class.ts'
import type { Fleet, Pool, WorkloadClass } from '../../src/core/pack/fleet.ts'
import { fleetProgram } from '../../src/core/pack/fleet-program.ts'
import type { SolveLimits, Solver, SolverAnswer } from '../../src/ports/solver.ts'
import { HighsSolver } from '../../src/solver/highs-solver.ts'
import { planFleet } from '../../src/solver/plan-fleet.ts'
import { randomFrom } from '../bench/estimator/random.ts'
import { modelOf } from '../core/pack/instances.ts'
import { CheapestByHand, poolOf } from '../core/pack/small-fleet.ts'

const solver = new HighsSolver()
const limits = { timeLimitMs: 60_000, signal: new AbortController().signal }
t.teardown(() => solver.close())

const a30 = poolOf('a30-24gb', { supply: 4, priceUsdPerHour: 1, zone: 'a' })
const a100 = poolOf('a100-sxm4-40gb', { supply: 4, priceUsdPerHour: 2.5, zone: 'b' })

t.test('[PACK12] takes the cards that cost least, and says what proves it', async (t) => {
  const workloads: readonly WorkloadClass[] = [
    { id: 'small', count: 6, slots: { 'a30-24gb': '1g.6gb', 'a100-sxm4-40gb': '1g.10gb' } },
    { id: 'large', count: 1, slots: { 'a100-sxm4-40gb': '3g.20gb' } }
  ]

  const plan = await planFleet({ pools: [a30, a100], workloads, objective: 'price' }, solver, limits)

  t.match(plan, { kind: 'planned', cost: 3.5, bound: 3.5, gapRatio: 0, gpus: 2 })
  t.end()
})

t.test('[PACK12] cards in use come first, for they cost nothing more', async (t) => {
  const live = [{ profile: '3g.20gb', start: 0, size: 4 }]
  const made = keptCards(modelOf('a100-sxm4-40gb'), ['1g.5gb', '3g.20gb'], { id: 'kept', supply: 1, live })
  if (made.kind !== 'class') return t.fail(made.reason)
  const kept: Pool = { cards: { ...made.cards, supply: 1 }, steps: a100.steps }
  const workloads = [{ id: 'w', count: 4, slots: { kept: '1g.5gb', 'a100-sxm4-40gb': '1g.5gb' } }]

  const plan = await planFleet({ pools: [a100, kept], workloads, objective: 'price' }, solver, limits)

  t.match(plan, { kind: 'planned', gpus: 1, cost: 2.5 })
  t.strictSame(
    plan.kind === 'planned' &&
      plan.sites.map(({ cardClass, workloads: here }) => [cardClass, here[0]?.count]),
    [
      ['a100-sxm4-40gb', 1],
      ['kept', 3]
    ]
  )
  return t.end()
})

t.test('[PACK16] whole cards and shared cards are pools like others', async (t) => {
  const pools: readonly Pool[] = [
    { cards: { ...wholeCards({ id: 't4', supply: 9 }), supply: 9 }, steps: [], priceUsdPerHour: 0.5 },
    {
      cards: { ...sharedCards({ id: 'a10', supply: 9, slot: 'replica of dev', replicas: 4 }), supply: 9 },
      steps: [],
      priceUsdPerHour: 1.2
    }
  ]
  const workloads = [{ id: 'dev', count: 9, slots: { t4: WHOLE_CARD, a10: 'replica of dev' } }]

  const plan = await planFleet({ pools, workloads, objective: 'price' }, solver, limits)

  t.match(plan, { kind: 'planned', cost: 2.9, gpus: 3 })
  t.end()
})

t.test(
  '[PACK16] a card that may be cut, given away whole or shared is used in one of these ways',
  async (t) => {
    const uncut = [{ [WHOLE_CARD]: 1 }, { dev: 4 }]
    const workloads = [
      { id: 'small', count: 1, slots: { a100: '1g.5gb' } },
      { id: 'whole', count: 1, slots: { a100: WHOLE_CARD } }
    ]
    const dev = { id: 'dev', count: 5, slots: { a100: 'dev' } }
    const plan = (supply: number, more: readonly WorkloadClass[]) =>
      planFleet(
        {
          pools: [poolOf('a100-sxm4-40gb', { id: 'a100', supply, uncut })],
          workloads: [...workloads, ...more],
          objective: 'gpus'
        },
        solver,
        limits
      )

    t.match(await plan(1, []), { kind: 'no-room', leftBound: 1 })
    t.match(await plan(2, []), { kind: 'planned', gpus: 2, bound: 2 })
    t.match(await plan(3, [dev]), { kind: 'no-room', left: [{ count: 1 }], leftBound: 1 })
    t.match(await plan(4, [dev]), { kind: 'planned', gpus: 4, bound: 4 })
    t.match(await plan(2, [{ id: 'pin', count: 1, slots: { a100: '1g.5gb' }, isExact: true }]), {
      kind: 'planned',
      gpus: 2
    })
    t.end()
  }
)

t.test('[PACK12] no workload goes where no single node has its CPU or its memory', async (t) => {
  const cheap: Pool = { ...a30, cpuMilli: 9000, largestNodeCpuMilli: 1500, largestNodeMemoryMiB: 100 }
  const slots = { 'a30-24gb': '1g.6gb', 'a100-sxm4-40gb': '1g.5gb' }
  const workloads: readonly WorkloadClass[] = [
    { id: 'narrow', count: 7, slots, cpuMilli: 1500, memoryMiB: 100 },
    { id: 'wide', count: 2, slots, cpuMilli: 1501 },
    { id: 'big', count: 2, slots, memoryMiB: 101 }
  ]

  const plan = await planFleet({ pools: [cheap, a100], workloads, objective: 'price' }, solver, limits)

  t.match(plan, { kind: 'planned', cost: 3.5, gpus: 2 })
  t.strictSame(plan.kind === 'planned' && plan.sites.map((site) => [site.cardClass, site.workloads]), [
    [
      'a100-sxm4-40gb',
      [
        { workload: 'big', count: 2 },
        { workload: 'narrow', count: 3 },
        { workload: 'wide', count: 2 }
      ]
    ],
    ['a30-24gb', [{ workload: 'narrow', count: 4 }]]
  ])
  t.end()
})

t.test('[PACK12] a zone where no node is large enough still counts for the skew', async (t) => {
  const small: Pool = { ...a30, largestNodeCpuMilli: 500 }
  const slots = { 'a30-24gb': '1g.6gb', 'a100-sxm4-40gb': '1g.5gb' }
  const workloads = [{ id: 'w', count: 3, slots, cpuMilli: 1000, maxSkew: 2 }]

  const plan = await planFleet({ pools: [small, a100], workloads, objective: 'gpus' }, solver, limits)

  t.match(plan, { kind: 'no-room', left: [{ workload: 'w', count: 1 }], leftBound: 1 })
  t.end()
})

t.test('[PACK15] what finds no room is named, and it is as little as can be', async (t) => {
  const pools = [poolOf('a30-24gb', { supply: 1, priceUsdPerHour: 1 })]
  const workloads = [
    { id: 'half', count: 1, slots: { 'a30-24gb': '2g.12gb' } },
    { id: 'quarter', count: 5, slots: { 'a30-24gb': '1g.6gb' } }
  ]

  const plan = await planFleet({ pools, workloads, objective: 'gpus' }, solver, limits)

  t.match(plan, { kind: 'no-room', leftBound: 2, provedBy: /prices|solver/ })
  t.strictSame(
    plan.kind === 'no-room' && plan.left,
    ['half', 'quarter'].map((workload) => ({ workload, count: 1 }))
  )
  t.end()
})

t.test('[PACK15] time that is up before anything is found is named', async (t) => {
  const workloads = [{ id: 'w', count: 3, slots: { 'a30-24gb': '1g.6gb' } }]

  const plan = await planFleet({ pools: [a30], workloads, objective: 'gpus' }, solver, {
    ...limits,
    timeLimitMs: 0
  })

  t.match(plan, { kind: 'undecided' })
  t.end()
})

t.test(
  '[PACK12] the same fleet gives the same plan, byte for byte, in whatever order it comes',
  async (t) => {
    const workloads = ['1g.5gb', '2g.10gb', '3g.20gb'].map((profile, index) => ({
      id: `w${index}`,
      count: 3 + index,
      slots: { 'a100-sxm4-40gb': profile, ...(index === 2 ? {} : { 'a30-24gb': '2g.12gb' }) }
    }))
    const fleet: Fleet = { pools: [a30, a100], workloads, objective: 'price' }

    const first = await planFleet(fleet, solver, limits)
    const second = await planFleet(
      { ...fleet, pools: fleet.pools.toReversed(), workloads: workloads.toReversed() },
      solver,
      limits
    )

    t.equal(first.kind, 'planned')
    t.equal(JSON.stringify(second), JSON.stringify(first))
    t.end()
  }
)

const [fits, crowd] = [3, 99].map((count): Fleet => {
  return { pools: [a30], workloads: [{ id: 'w', count, slots: { 'a30-24gb': '1g.6gb' } }], objective: 'gpus' }
})

/** Answers from a list in turn, and where there is none the true one; keeps the limits that it was asked with. */
function stubOf(answers: readonly (SolverAnswer | undefined)[]) {
  const asked: SolveLimits[] = []
  const solve: Solver['solve'] = async (program, given) => {
    asked.push(given)
    return answers[asked.length - 1] ?? (await solver.solve(program, limits))
  }
  return { solve, asked }
}

t.test('[PACK13] that not all find room is not believed where a plan shows that they do', async (t) => {
  if (fits === undefined) return t.fail('no fleet')
  const want = { kind: 'wrong-answer', broken: ['infeasible'] }

  t.strictSame(await planFleet(fits, stubOf([{ kind: 'infeasible' }]), limits), want)
  t.strictSame(await planFleet(fits, stubOf([{ kind: 'infeasible' }, { kind: 'infeasible' }]), limits), want)
  return t.end()
})

t.test(
  '[PACK15] time that is up before it is found who stays outside is named, with the bound',
  async (t) => {
    if (crowd === undefined) return t.fail('no fleet')
    const { program } = fleetProgram(crowd, { mayLeave: true })
    const { prices } = { prices: [], ...(await solver.solve(program, limits)) }
    const late = (by: readonly number[]): Solver =>
      stubOf([{ kind: 'infeasible' }, { kind: 'out-of-time', prices: by }])

    t.strictSame(await planFleet(crowd, late(prices), limits), {
      kind: 'left-undecided',
      leftBound: 83,
      provedBy: 'prices'
    })
    t.strictSame(await planFleet(crowd, late([]), limits), {
      kind: 'left-undecided',
      leftBound: 1,
      provedBy: 'solver'
    })
    return t.end()
  }
)

t.test('[PACK15] both questions share one limit', async (t) => {
  if (crowd === undefined) return t.fail('no fleet')
  const stub = stubOf([])

  await planFleet(crowd, stub, limits)

  const [first, second] = stub.asked.map(({ timeLimitMs }) => timeLimitMs)
  t.equal(stub.asked.length, 2)
  t.ok(first === 60_000 && second !== undefined && second > 0 && second < first, `${first}, then ${second}`)
  return t.end()
})

t.test('[PACK15] a second question has no less than no time', async (t) => {
  if (crowd === undefined) return t.fail('no fleet')
  const stub = stubOf([])

  await planFleet(crowd, stub, { ...limits, timeLimitMs: 0 })

  t.strictSame(
    stub.asked.map(({ timeLimitMs }) => timeLimitMs),
    [0, 0]
  )
  return t.end()
})

t.test('[PACK12] the dearest and the cheapest cards are planned to the last millionth', async (t) => {
  const pools = [
    { ...a30, priceUsdPerHour: 9999.999_999 },
    { ...a100, priceUsdPerHour: 0.000_001 }
  ]
  const workloads = [
    { id: 'w', count: 3, slots: { 'a30-24gb': '1g.6gb' } },
    { id: 'x', count: 8, slots: { 'a100-sxm4-40gb': '1g.5gb' } }
  ]

  const plan = await planFleet({ pools, workloads, objective: 'price' }, solver, limits)

  t.match(plan, { kind: 'planned', gpus: 3, cost: 10_000.000_001, bound: 10_000.000_001, gapRatio: 0 })
  t.end()
})

const { uniform } = randomFrom(18)

function choose<T>(list: readonly [T, ...T[]]): T {
  return list[Math.floor(uniform() * list.length)] ?? list[0]
}

/** Pools of two models and a few workloads under every rule. */
function randomFleet(): Fleet & { readonly models: readonly string[] } {
  const models = [choose(['a30-24gb', 'rtx-pro-6000-server']), choose(['a100-sxm4-40gb', 'h100-sxm5-80gb'])]
  const pools = models.map((model, index) => {
    const profiles = modelOf(model).profiles.map(({ name }) => name)
    const allowed = profiles.filter(() => uniform() < 0.7)
    return poolOf(model, {
      supply: 1 + Math.floor(uniform() * 3),
      priceUsdPerHour: choose([0.5, 1, 1.7, 2]),
      zone: `zone ${index}`,
      profiles: allowed.length === 0 ? profiles : allowed,
      ...(uniform() < 0.3 ? { cpuMilli: choose([1000, 2000, 4000]) } : {}),
      ...(uniform() < 0.3 ? { memoryMiB: choose([100, 200, 400]) } : {}),
      ...(uniform() < 0.15 ? { largestNodeCpuMilli: 500 } : {}),
      ...(uniform() < 0.15 ? { largestNodeMemoryMiB: 50 } : {})
    })
  })
  const slotsOf = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      models
        .filter(() => uniform() < 0.85)
        .map((model) => [model, modelOf(model).profiles.at(Math.floor(uniform() * 7))?.name ?? ''])
    )
  const workloads = Array.from({ length: 1 + Math.floor(uniform() * 3) }, (_, index): WorkloadClass => {
    return {
      id: `w${index}`,
      count: 1 + Math.floor(uniform() * 2),
      slots: slotsOf(),
      isExact: uniform() < 0.1,
      cpuMilli: choose([0, 1000]),
      memoryMiB: choose([0, 100]),
      ...(uniform() < 0.3 ? { tenant: choose(['x', 'y']) } : {}),
      ...(uniform() < 0.2 ? { maxSkew: 1 } : {})
    }
  })
  return { pools, workloads, models, objective: choose(['gpus', 'price']) }
}

t.test('[PACK12] costs as little as trying everything finds, on 150 fleets under every rule', async (t) => {
  const kinds: string[] = []
  for (let index = 0; index < 150; index++) {
    const { models, ...fleet } = randomFleet()

    const plan = await planFleet(fleet, solver, limits)

    const want = new CheapestByHand(fleet.pools, models).least(fleet)
    kinds.push(plan.kind)
    if (plan.kind === 'planned') {
      t.ok(
        Math.abs(plan.cost - want) < 1e-6 && plan.bound === plan.cost,
        JSON.stringify({ fleet, plan, want })
      )
    } else t.equal(want, Infinity, JSON.stringify({ fleet, plan }))
  }

  t.ok(kinds.filter((kind) => kind === 'planned').length > 50, kinds.join())
  t.ok(kinds.includes('no-room') && kinds.includes('no-slot'))
  t.end()
})
