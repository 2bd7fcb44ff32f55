import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Decision } from '../../src/core/decision/decision.ts'
import { warningsOf } from '../../src/core/decision/tell.ts'
import { isRecord } from '../../src/core/json.ts'
import { admit } from './admit.ts'
import { type Scenario, scenarios } from './arbitraries.ts'
import { holds } from './holds.ts'

type Random = () => number

/** A small generator of numbers from 0 to 1, so that a seed gives one order. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

/** The same JSON with the keys of every object in another order; lists keep theirs. */
function withKeysShuffled<T>(value: T, random: Random): T
function withKeysShuffled(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => withKeysShuffled(item, random))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    shuffled(Object.entries(value), random).map(([key, field]) => [key, withKeysShuffled(field, random)])
  )
}

function reordered(
  { pod, nodes, policies, usage, namespaceLabels, bounds }: Scenario,
  seed: number
): Scenario {
  const random = randomFrom(seed)
  return {
    pod: withKeysShuffled(pod, random),
    nodes: shuffled(nodes, random).map((node) => withKeysShuffled(node, random)),
    policies: shuffled(policies, random).map((policy) => withKeysShuffled(policy, random)),
    usage: usage && { ...usage, containers: shuffled(usage.containers, random) },
    namespaceLabels: withKeysShuffled(namespaceLabels, random),
    bounds
  }
}

/** Everything about a decision that anybody gets to see. */
function seen(decision: Decision): string {
  const { kind, reason, sentence, notices, evidence } = decision
  const changes =
    decision.kind === 'rewrite' ? decision.changes.map(({ resource, share }) => [resource, share]) : []
  return JSON.stringify({
    kind,
    reason,
    sentence,
    notices,
    evidence,
    changes,
    warnings: warningsOf(decision)
  })
}

t.test(
  '[DEC2] shuffled nodes, policies, histories and keys give the same decision and the same bytes',
  async () => {
    holds(
      fc.property(scenarios, fc.integer(), (scenario, seed) => {
        const first = admit(scenario)
        const second = admit(reordered(scenario, seed))

        assert.equal(seen(second.decision), seen(first.decision))
        assert.equal(JSON.stringify(second.patch), JSON.stringify(first.patch))
      })
    )
  }
)

t.test('[DEC2] the same input gives the same decision', async () => {
  holds(
    fc.property(scenarios, (scenario) =>
      assert.equal(seen(admit(scenario).decision), seen(admit(scenario).decision))
    )
  )
})
