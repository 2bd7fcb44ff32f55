import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Placement } from '../../src/core/gpu/placement.ts'
import { applyStep } from '../../src/core/plan/apply-step.ts'
import { makePlan, type Plan } from '../../src/core/plan/plan.ts'
import type { PlanState } from '../../src/core/plan/plan-state.ts'
import type { PlanStep } from '../../src/core/plan/plan-step.ts'
import { type PlanWorld, startWorld } from '../../src/core/plan/plan-world.ts'
import { remapSeats } from '../../src/core/plan/remap-seats.ts'
import type { Seat } from '../../src/core/plan/target.ts'
import { WorldIndex } from '../../src/core/plan/world-index.ts'
import { cardByHand, isValidCard } from '../core/pack/card-by-hand.ts'
import { frozen } from './frozen.ts'
import { holds } from './holds.ts'
import { drivenPlaces, endingOf, type PlanCase, planCases, seatsIn } from './plan-cases.ts'

/** Checks `law` on random states and targets, with everything that is passed in frozen. */
function always(law: (plan: Plan, example: PlanCase) => void): void {
  holds(
    fc.property(planCases, (example) => law(planOf(frozen(example)), example)),
    400
  )
}

function planOf({ state, target, spares }: PlanCase): Plan {
  return makePlan(state, target, { spares, settings: { margin: 0.2 }, hashOf: (text) => text })
}

/** Every world from before the first step to after the last, with budgets that allow what notices say is needed. */
function worldsOf(state: PlanState, { steps, notices }: Plan): readonly PlanWorld[] {
  const worlds = [startWorld(raised(state, notices))]
  for (const step of steps) worlds.push(applyStep(worlds.at(-1) ?? startWorld(state), step))
  return worlds
}

function raised(state: PlanState, notices: Plan['notices']): PlanState {
  const needed = new Map(
    notices.flatMap((notice) => (notice.kind === 'budget' ? [[notice.budget, notice.pods]] : []))
  )
  const budgets = state.budgets?.map((budget) => {
    return { ...budget, disruptionsAllowed: needed.get(budget.id) ?? budget.disruptionsAllowed }
  })
  return budgets === undefined ? state : { ...state, budgets }
}

function layoutsIn({ nodes }: PlanState): ReadonlyMap<string, readonly Placement[]> {
  const cards = nodes.flatMap((node) => node.cards)
  return new Map(
    cards.map(({ id, instances }) => [
      id,
      instances.map(({ placement }) => placement).toSorted((a, b) => a.start - b.start)
    ])
  )
}

/** How cards are cut that hold as many of each profile as they should, where only that can be asked for. */
function leftAlone({ state, target }: PlanCase): ReadonlyMap<string, readonly Placement[]> {
  const wanted = new Map(target.layouts.map(({ card, instances }) => [card, instances]))
  const counts = (all: readonly Placement[]): string =>
    JSON.stringify(all.map(({ profile }) => profile).toSorted())
  const units = new Map(state.nodes.flatMap(({ unit, cards }) => cards.map(({ id }) => [id, unit] as const)))
  return new Map(
    [...layoutsIn(state)].filter(
      ([card, live]) => units.get(card) !== 'instance' && counts(wanted.get(card) ?? []) === counts(live)
    )
  )
}

function sortedEntries<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function undone(world: PlanWorld, step: PlanStep): PlanWorld {
  return step.undo.kind === 'steps' ? step.undo.steps.reduce(applyStep, world) : world
}

/** The same value with all lists in another order, but for those that `seed` leaves. */
function shuffled<T>(value: T, seed: number): T
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) {
    const keyed = value.map((item, index) => {
      return { item: shuffled(item, seed), place: ((index + 1) * (seed | 1) * 7919) % 10007 }
    })
    return keyed.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, field]) => [key, shuffled(field, seed)])
  )
}

t.test('the examples reach every kind of step, and pods that wait for every reason', (t) => {
  const steps = fc.sample(planCases, { numRuns: 1000, seed: 7 }).flatMap((example) => planOf(example).steps)
  const names = steps.map((step) => {
    if (step.kind === 'park') return `park ${step.why}`
    return step.kind === 'move' ? `move ${step.purpose}` : step.kind
  })

  t.strictSame([...new Set(names)].toSorted(), [
    'cordon',
    'lay-out',
    'move from-spare',
    'move target',
    'move to-spare',
    'park lay-out',
    'park no-spare',
    'park no-spare-holds-it',
    'release',
    'resume',
    'uncordon'
  ])
  t.end()
})

t.test(
  '[PLAN20] every step can be taken in its order, and the end is the target, pods and instances',
  (t) => {
    always((plan, example) => {
      const end = worldsOf(example.state, plan).at(-1)

      const { seats, layouts } = endingOf(example)
      const alone = leftAlone(example)
      assert.ok(end)
      const rough = (all: ReadonlyMap<string, Seat>): readonly unknown[] =>
        sortedEntries(all).map(([pod, seat]) => {
          const { node, card, placement } = seat
          return [pod, alone.has(card) ? { node, card, profile: placement?.profile } : seat]
        })
      assert.deepEqual(rough(seatsIn(end.state)), rough(seats))
      assert.deepEqual(sortedEntries(layoutsIn(end.state)), sortedEntries(new Map([...layouts, ...alone])))
      assert.deepEqual(end.waiting, [])
      const { state, target } = example
      const before = new Set(state.nodes.filter(({ isCordoned = false }) => isCordoned).map(({ id }) => id))
      assert.ok(end.cordoned.every((node) => before.has(node) || target.freedNodes.includes(node)))
      assert.ok([...before].every((node) => end.cordoned.includes(node)))
    })
    t.end()
  }
)

t.test('[PLAN21] no step exceeds the geometry of a card, by rules that are written down once more', (t) => {
  always((plan, { state }) => {
    for (const { state: now } of worldsOf(state, plan)) {
      for (const { pool, cards } of now.nodes) {
        for (const { instances, wholePod } of cards) {
          const placed = instances.map(({ placement }) => placement)
          assert.ok(isValidCard(cardByHand(pool), placed), JSON.stringify(placed))
          assert.ok(wholePod === undefined || placed.length === 0)
        }
      }
    }
  })
  t.end()
})

t.test('[PLAN22] a card or node that has to be empty is empty when it is laid out', (t) => {
  always((plan, { state }) => {
    const worlds = worldsOf(state, plan)
    for (const [index, step] of plan.steps.entries()) {
      if (step.kind !== 'lay-out') continue
      const node = worlds[index]?.state.nodes.find(({ id }) => id === step.node)
      assert.ok(node)
      const stopped =
        node.unit === 'node' ? node.cards.map(({ id }) => id) : step.cards.map(({ card }) => card)
      const pods = [...seatsIn({ pools: [], pods: [], nodes: [node] }).values()]
      if (node.unit !== 'instance') assert.ok(!pods.some(({ card }) => stopped.includes(card)))
      if (node.unit === 'node') assert.ok(worlds[index]?.cordoned.includes(node.id))
    }
  })
  t.end()
})

t.test(
  '[PLAN22] nobody stops but for the target, and for cards that are laid out, twice only for a budget',
  (t) => {
    always(({ steps }, { state, target }) => {
      const moved = new Set(target.moves.map(({ pod }) => pod))
      const laidOut = new Set(target.layouts.map(({ card }) => card))
      const stopping = state.nodes.flatMap(({ unit, cards }) => {
        const changed = cards.filter(({ id }) => laidOut.has(id))
        if (unit === 'node') return changed.length === 0 ? [] : cards
        return unit === 'card' ? changed : []
      })
      const stopped = new Set(stopping.map(({ id }) => id))
      const budgeted = new Set(state.budgets?.flatMap(({ pods }) => pods))
      const seats = seatsIn(state)
      for (const step of steps) {
        if ((step.kind !== 'park' && step.kind !== 'move') || moved.has(step.pod)) continue
        assert.ok(stopped.has(seats.get(step.pod)?.card ?? ''), step.pod)
        if (step.kind === 'park') assert.equal(step.why, 'lay-out', step.pod)
        else assert.ok(step.purpose !== 'target' && budgeted.has(step.pod), step.pod)
      }
    })
    t.end()
  }
)

t.test('[PLAN24] at no time are two tenants on one card', (t) => {
  always((plan, { state }) => {
    const tenants = new Map(state.pods.map(({ id, tenant }) => [id, tenant]))
    for (const { state: now } of worldsOf(state, plan)) {
      const byCard = Map.groupBy(seatsIn(now), ([, { card }]) => card)
      for (const [card, pods] of byCard) {
        assert.equal(new Set(pods.map(([pod]) => tenants.get(pod))).size, 1, card)
      }
    }
  })
  t.end()
})

t.test(
  '[PLAN25] a pod comes to a spare card of its pool only, in a slot as it needs it, and nobody else does',
  (t) => {
    always(({ steps }, { state, spares }) => {
      const pools = new Map(state.nodes.map(({ id, pool }) => [id, pool]))
      const pods = new Map(state.pods.map((pod) => [pod.id, pod]))
      for (const step of steps) {
        if (step.kind !== 'move' && step.kind !== 'resume') continue
        const { pod, to } = step
        const isSpare = spares.includes(to.card)
        assert.equal(isSpare, step.kind === 'move' && step.purpose === 'to-spare')
        if (isSpare)
          assert.equal(to.placement?.profile ?? 'whole', pods.get(pod)?.slots[pools.get(to.node) ?? ''])
      }
    })
    t.end()
  }
)

t.test('[PLAN26] CPU and memory of a node are never taken twice', (t) => {
  always((plan, { state }) => {
    for (const { state: now } of worldsOf(state, plan)) {
      for (const { freeCpuMilli = 0, freeMemoryMiB = 0 } of now.nodes) {
        assert.ok(freeCpuMilli >= 0 && freeMemoryMiB >= 0)
      }
    }
  })
  t.end()
})

t.test(
  '[PLAN27] from wherever a plan is broken off, the undos in reverse order bring back the beginning',
  (t) => {
    always((plan, { state }) => {
      const worlds = worldsOf(state, plan)
      for (const [count, world] of worlds.entries()) {
        const taken = plan.steps.slice(0, count)
        const last = taken.findLastIndex(({ kind, undo }) => kind !== 'release' && undo.kind === 'none')
        const back = taken
          .slice(last + 1)
          .toReversed()
          .reduce(undone, world)

        assert.deepEqual(back, worlds[last + 1])
      }
      const cordoned = new Set(state.nodes.filter(({ isCordoned = false }) => isCordoned).map(({ id }) => id))
      for (const { kind, undo, node } of plan.steps)
        if (kind !== 'release' && undo.kind === 'none') assert.ok(cordoned.has(node))
    })
    t.end()
  }
)

t.test('[PLAN28] the same input gives the same plan byte for byte, in whatever order it comes', (t) => {
  holds(
    fc.property(planCases, fc.nat({ max: 5000 }), (example, seed) => {
      const [one, other] = [planOf(example), planOf(shuffled(example, seed))].map((plan) =>
        JSON.stringify(plan)
      )

      assert.ok(one === other, 'the same plan')
    }),
    300
  )
  t.end()
})

t.test('[PLAN29] the totals are what the steps come to', (t) => {
  always((plan, { state, target }) => {
    const { steps, totals, nodes, waves } = plan
    const pods = new Map(state.pods.map((pod) => [pod.id, pod.restartSeconds * pod.replicasLost]))
    const stops = steps.flatMap((step) => (step.kind === 'move' || step.kind === 'park' ? [step.pod] : []))
    const first = seatsIn(state)
    const end = worldsOf(state, plan).at(-1) ?? startWorld(state)
    const parked = steps.flatMap((step) => (step.kind === 'park' ? [step.pod] : []))

    assert.deepEqual(totals, {
      steps: steps.length,
      podsMoved: [...seatsIn(end.state)].filter(([pod, seat]) => !isDeepStrictEqual(seat, first.get(pod)))
        .length,
      podStops: stops.length,
      podsWaiting: new Set(parked).size,
      costReplicaSeconds: stops.reduce((sum, pod) => sum + (pods.get(pod) ?? 0), 0),
      gpusFreed: target.freedCards.length,
      nodesFreed: target.freedNodes.length
    })
    const every = steps.map((_, index) => index)
    assert.deepEqual(
      nodes.flatMap((node) => node.steps).toSorted((a, b) => a - b),
      every
    )
    assert.deepEqual(
      waves.flatMap((wave) => wave.steps),
      every
    )
  })
  t.end()
})

t.test(
  '[PLAN22] wherever the driver puts instances of what is laid out from empty, every pod ends in its profile',
  (t) => {
    always(({ steps, notices }, example) => {
      const units = new Map(example.state.nodes.map(({ id, unit }) => [id, unit]))
      let world = startWorld(raised(example.state, notices))
      let open = steps
      for (let [step, ...rest] = open; step !== undefined; [step, ...rest] = open) {
        world = applyStep(world, step)
        open = rest
        if (step.kind !== 'lay-out' || units.get(step.node) === 'instance') continue
        for (const { card, after } of step.cards) {
          const node = world.state.nodes.find(({ id }) => id === step.node)
          const live = drivenPlaces(node?.pool ?? '', after)
          const driven = new WorldIndex(world)
          driven.layOut({ node: step.node, card }, live)
          world = driven.world()
          open = remapSeats(open, { card, after }, live)
        }
      }
      const rough = (all: ReadonlyMap<string, Seat>): readonly unknown[] =>
        sortedEntries(all).map(([pod, { node, card, placement }]) => [pod, node, card, placement?.profile])
      assert.deepEqual(rough(seatsIn(world.state)), rough(endingOf(example).seats))
      assert.deepEqual(world.waiting, [])
    })
    t.end()
  }
)

/** How many pods of each budget are down at one time at most, counted once more. */
function mostDown({ budgets = [] }: PlanState, steps: readonly PlanStep[]): ReadonlyMap<string, number> {
  const entries = budgets.map(({ id, pods }) => {
    const waiting = new Set<string>()
    let most = 0
    for (const step of steps) {
      if (!('pod' in step) || !pods.includes(step.pod)) continue
      if (step.kind === 'resume') waiting.delete(step.pod)
      else most = Math.max(most, waiting.size + 1)
      if (step.kind === 'park') waiting.add(step.pod)
    }
    return [id, most] as const
  })
  return new Map(entries)
}

t.test(
  '[PLAN32] no more pods of a budget are down at one time than it allows, or a notice names it and how many',
  (t) => {
    const seen = new Set<boolean>()
    always(({ steps, notices }, { state }) => {
      const named = new Map(
        notices.flatMap((notice) => (notice.kind === 'budget' ? [[notice.budget, notice]] : []))
      )
      const most = mostDown(state, steps)
      for (const { id, disruptionsAllowed } of state.budgets ?? []) {
        const needed = most.get(id) ?? 0
        seen.add(needed > disruptionsAllowed)
        assert.equal(named.has(id), needed > disruptionsAllowed, id)
        assert.deepEqual(
          named.has(id) ? [named.get(id)?.pods, named.get(id)?.allowed] : [],
          named.has(id) ? [needed, disruptionsAllowed] : []
        )
      }
    })
    t.equal(seen.size, 2, 'budgets are kept, and are not')
    t.end()
  }
)

t.test('[PLAN32] where a budget does not allow it, no node is cordoned for it and no pod is stopped', (t) => {
  always(({ steps, notices }, { state }) => {
    if (!notices.some(({ kind }) => kind === 'budget')) return
    let world = startWorld(state)
    let refused: PlanStep | undefined
    for (const step of steps) {
      try {
        world = applyStep(world, step)
      } catch {
        refused = step
        break
      }
    }
    assert.ok(refused?.precondition.some(({ kind }) => kind === 'budget-allows'))
    for (const { disruptionsAllowed } of world.state.budgets ?? []) assert.ok(disruptionsAllowed >= 0)
  })
  t.end()
})

t.test(
  '[PLAN33] nothing happens on cards that are shared, and no pod comes to a node that was cordoned before',
  (t) => {
    always(({ steps }, { state }) => {
      const shared = new Set(
        state.nodes.flatMap(({ cards }) =>
          cards.filter(({ sharedPods }) => sharedPods !== undefined).map(({ id }) => id)
        )
      )
      const cordoned = new Set(state.nodes.filter(({ isCordoned = false }) => isCordoned).map(({ id }) => id))
      for (const step of steps) {
        if (step.kind === 'lay-out') assert.ok(step.cards.every(({ card }) => !shared.has(card)))
        if (step.kind === 'cordon' || step.kind === 'uncordon') assert.ok(!cordoned.has(step.node))
        if (step.kind === 'move' || step.kind === 'resume')
          assert.ok(!shared.has(step.to.card) && !cordoned.has(step.to.node))
      }
    })
    t.end()
  }
)

t.test('[PLAN23] what is done for a node in one go is one wave', (t) => {
  always(({ waves }) => {
    assert.ok(waves.every(({ node }, index) => node !== waves[index + 1]?.node))
  })
  t.end()
})
