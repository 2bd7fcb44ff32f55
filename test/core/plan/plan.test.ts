import t from 'tap'
import { makePlan } from '../../../src/core/plan/plan.ts'
import { planInputText } from '../../../src/core/plan/plan-input-text.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'
import { aPlan, aState, aTarget } from './order-case.ts'

const state = aState(
  {
    a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } },
    b: { unit: 'node', cards: { d: { '1g.10gb@0': 'q' } } },
    e: { unit: 'card', cards: { f: { '1g.10gb@0': '' } } }
  },
  { p: { restartSeconds: 20, replicasLost: 2 } }
)
const target = aTarget(state, {
  moves: { p: 'b/d/1g.10gb@0', q: 'b/d/1g.10gb@1' },
  layouts: { d: '1g.10gb@0 1g.10gb@1' },
  freedCards: ['c'],
  freedNodes: ['a']
})

t.test('[PLAN29] a plan holds its steps in order, by node and in waves, and what they come to', (t) => {
  const settings = { margin: 0.2 }

  const plan = makePlan(state, target, { spares: ['f'], settings, hashOf: (text) => `hash of ${text}` })

  t.strictSame(plan.steps.map(tellAction), [
    'cordon b',
    'park q from b/d/1g.10gb@0 until b/d/1g.10gb@1 is there',
    'lay out b: d 1g.10gb@0 + 1g.10gb@1',
    'uncordon b',
    'resume q in b/d/1g.10gb@1',
    'cordon a',
    'move p from a/c/1g.10gb@0 to b/d/1g.10gb@0',
    'release a'
  ])
  t.strictSame(plan.waves, [
    { node: 'b', steps: [0, 1, 2, 3, 4] },
    { node: 'a', steps: [5, 6, 7] }
  ])
  t.strictSame(plan.nodes, [
    { node: 'a', steps: [5, 6, 7] },
    { node: 'b', steps: [0, 1, 2, 3, 4] }
  ])
  t.strictSame(plan.totals, {
    steps: 8,
    podsMoved: 2,
    podStops: 2,
    podsWaiting: 1,
    costReplicaSeconds: 50,
    gpusFreed: 1,
    nodesFreed: 1
  })
  t.strictSame(
    plan.notices.map(({ kind, node, pods }) => [kind, node, pods]),
    [['lay-out', 'b', 1]]
  )
  t.match(
    plan.isolation,
    ['1 card in use', 'Not separated', '1 card will hold pods of more than one workload'].map(
      (start) => new RegExp(`^${start}`)
    )
  )
  t.equal(plan.inputsHash, `hash of ${planInputText({ state, target, spares: ['f'], settings })}`)
  t.end()
})

t.test('[PLAN29] nodes come by id, in whatever order they have their turn', (t) => {
  const chain = aState({
    a: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' } } },
    b: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' } } },
    c: { unit: 'card', cards: { c: { '1g.10gb@0': 'r', '1g.10gb@1': '' } } }
  })
  const moves = { p: 'c/c/1g.10gb@0', q: 'a/a/1g.10gb@0', r: 'c/c/1g.10gb@1' }

  t.strictSame(aPlan(chain, { moves }).nodes, [
    { node: 'a', steps: [1] },
    { node: 'b', steps: [2] },
    { node: 'c', steps: [0] }
  ])
  t.end()
})

t.test('[PLAN29] a pod that ends where it is does not move', (t) => {
  t.equal(aPlan(state, { moves: { p: 'a/c/1g.10gb@0' } }).totals.podsMoved, 0)
  t.end()
})

t.test('[PLAN27] goes through all steps, and refuses a state in which they cannot be taken', (t) => {
  const [pod, ...others] = state.pods
  const twice = { ...state, pods: pod === undefined ? [] : [...others, pod, { ...pod, tenant: 'other' }] }

  t.throws(() => makePlan(twice, target, { spares: [], settings: {}, hashOf: String }), {
    code: 'PLAN_INVALID',
    message: /^(the target cannot be reached|move p|park q)/
  })
  t.end()
})

t.test('[PLAN28] says so where the inputs differ, though the steps are the same', (t) => {
  const [one, other] = [0.2, 0.25].map((margin) =>
    makePlan(state, target, { spares: [], settings: { margin }, hashOf: (text) => text })
  )

  t.strictSame(one?.steps, other?.steps)
  t.not(one?.inputsHash, other?.inputsHash)
  t.end()
})
