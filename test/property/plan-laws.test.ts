import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Placement } from '../../src/core/gpu/placement.ts'
import { applyStep } from '../../src/core/plan/apply-step.ts'
import { makePlan, type Plan } from '../../src/core/plan/plan.ts'
import type { PlanState } from '../../src/core/plan/plan-state.ts'
import type { PlanStep } from '../../src/core/plan/plan-step.ts'
import { type PlanWorld, startWorld } from '../../src/core/plan/plan-world.ts'
import { cardByHand, isValidCard } from '../core/pack/card-by-hand.ts'
import { frozen } from './frozen.ts'
import { holds } from './holds.ts'
import { endingOf, type PlanCase, planCases, seatsIn } from './plan-cases.ts'

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

/** Every world from before the first step to after the last. */
function worldsOf(state: PlanState, steps: readonly PlanStep[]): readonly PlanWorld[] {
  const worlds = [startWorld(state)]
  for (const step of steps) worlds.push(applyStep(worlds.at(-1) ?? startWorld(state), step))
  return worlds
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
    always(({ steps }, example) => {
      const end = worldsOf(example.state, steps).at(-1)

      const { seats, layouts } = endingOf(example)
      assert.ok(end)
      assert.deepEqual(sortedEntries(seatsIn(end.state)), sortedEntries(seats))
      assert.deepEqual(sortedEntries(layoutsIn(end.state)), sortedEntries(layouts))
      assert.deepEqual(end.waiting, [])
      assert.ok(end.cordoned.every((node) => example.target.freedNodes.includes(node)))
    })
    t.end()
  }
)

t.test('[PLAN21] no step exceeds the geometry of a card, by rules that are written down once more', (t) => {
  always(({ steps }, { state }) => {
    for (const { state: now } of worldsOf(state, steps)) {
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
  always(({ steps }, { state }) => {
    const worlds = worldsOf(state, steps)
    for (const [index, step] of steps.entries()) {
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

t.test('[PLAN22] nobody stops but for the target, and for cards that are laid out', (t) => {
  always(({ steps }, { state, target }) => {
    const moved = new Set(target.moves.map(({ pod }) => pod))
    const laidOut = new Set(target.layouts.map(({ card }) => card))
    const stopping = state.nodes.flatMap(({ unit, cards }) => {
      const changed = cards.filter(({ id }) => laidOut.has(id))
      if (unit === 'node') return changed.length === 0 ? [] : cards
      return unit === 'card' ? changed : []
    })
    const stopped = new Set(stopping.map(({ id }) => id))
    for (const step of steps) {
      if (step.kind === 'move') assert.ok(moved.has(step.pod), step.pod)
      if (step.kind !== 'park' || moved.has(step.pod)) continue
      assert.ok(stopped.has(step.from.card) && step.why === 'lay-out', step.pod)
    }
  })
  t.end()
})

t.test('[PLAN24] at no time are two tenants on one card', (t) => {
  always(({ steps }, { state }) => {
    const tenants = new Map(state.pods.map(({ id, tenant }) => [id, tenant]))
    for (const { state: now } of worldsOf(state, steps)) {
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
  always(({ steps }, { state }) => {
    for (const { state: now } of worldsOf(state, steps)) {
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
    always(({ steps }, { state }) => {
      const worlds = worldsOf(state, steps)
      for (const [count, world] of worlds.entries()) {
        const back = steps.slice(0, count).toReversed().reduce(undone, world)

        assert.deepEqual(back, startWorld(state))
      }
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
  always(({ steps, totals, nodes, waves }, { state, target }) => {
    const pods = new Map(state.pods.map((pod) => [pod.id, pod.restartSeconds * pod.replicasLost]))
    const stops = steps.flatMap((step) => (step.kind === 'move' || step.kind === 'park' ? [step.pod] : []))
    const parked = steps.flatMap((step) => (step.kind === 'park' ? [step.pod] : []))

    assert.deepEqual(totals, {
      steps: steps.length,
      podsMoved: target.moves.length,
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
