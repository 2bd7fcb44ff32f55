import t from 'tap'
import type { Placement } from '../../../src/core/gpu/placement.ts'
import { applySteps } from '../../../src/core/plan/apply-step.ts'
import type { CardChange, PlanStep } from '../../../src/core/plan/plan-step.ts'
import { startWorld } from '../../../src/core/plan/plan-world.ts'
import { remapSeats } from '../../../src/core/plan/remap-seats.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'
import { WorldIndex } from '../../../src/core/plan/world-index.ts'
import { aPlan, aState, seatOf, seatsTold, slotsOf } from './order-case.ts'

const state = aState({
  m: { unit: 'node', cards: { a: { '2g.20gb@0': 'p', '1g.10gb@2': 'q' } } },
  n: { unit: 'card', cards: { b: { '1g.10gb@0': 'r' } } }
})
const { steps } = aPlan(state, {
  moves: { q: 'm/a/1g.10gb@3', r: 'm/a/1g.10gb@4' },
  layouts: { a: '2g.20gb@0 1g.10gb@2 1g.10gb@3 1g.10gb@4' }
})
const at = steps.findIndex(({ kind }) => kind === 'lay-out')
const rest = steps.slice(at + 1)
const live = slotsOf('1g.10gb@0 1g.10gb@3 1g.10gb@6 2g.20gb@4')

function changeOf(step: PlanStep | undefined): CardChange {
  const change = step?.kind === 'lay-out' ? step.cards[0] : undefined
  if (change === undefined) throw new Error('no step that lays out a card')
  return change
}

const change = changeOf(steps[at])

t.test(
  '[PLAN22] pods go on in instances of their profiles where the driver put these, in the same place where one is',
  (t) => {
    const index = new WorldIndex(applySteps(startWorld(state), steps.slice(0, at + 1)))
    index.layOut({ node: 'm', card: 'a' }, live)

    const mapped = remapSeats(rest, change, live)

    t.strictSame(mapped.map(tellAction), [
      'uncordon m',
      'resume p in m/a/2g.20gb@4',
      'resume q in m/a/1g.10gb@3',
      'move r from n/b/1g.10gb@0 to m/a/1g.10gb@6'
    ])
    t.strictSame(seatsTold(applySteps(index.world(), mapped).state), {
      p: 'm/a/2g.20gb@4',
      q: 'm/a/1g.10gb@3',
      r: 'm/a/1g.10gb@6'
    })
    t.end()
  }
)

t.test('[PLAN22] the undos of steps go with them', (t) => {
  const index = new WorldIndex(applySteps(startWorld(state), steps.slice(0, at + 1)))
  index.layOut({ node: 'm', card: 'a' }, live)
  const mapped = remapSeats(rest, change, live)
  const undos = (taken: readonly PlanStep[]): readonly PlanStep[] =>
    taken.toReversed().flatMap(({ undo }) => (undo.kind === 'steps' ? undo.steps : []))
  const back = [...undos(mapped), ...remapSeats(undos(steps.slice(0, at + 1)), change, live)]

  t.strictSame(applySteps(applySteps(index.world(), mapped), back), startWorld(state))
  t.end()
})

t.test('[PLAN22] what follows is as it was where the instances are where they were wanted', (t) => {
  t.strictSame(remapSeats(rest, change, change.after.toReversed()), rest)
  t.strictSame(remapSeats(rest, { card: 'other', after: [] }, []), rest)
  t.end()
})

t.test('[PLAN22] once a card is laid out again, its next instances count', (t) => {
  const terms = {
    precondition: [],
    cost: { replicaSeconds: 0, pods: 0 },
    undo: { kind: 'none', why: 'a test' }
  } as const
  const wanted = { card: 'a', after: slotsOf('1g.10gb@0 1g.10gb@1') }
  const [first, second] = [seatOf('m/a/1g.10gb@0'), seatOf('m/a/1g.10gb@1')]
  const move: PlanStep = {
    kind: 'move',
    node: 'm',
    pod: 'p',
    from: first,
    to: second,
    purpose: 'target',
    ...terms
  }
  const againFrom = (places: readonly Placement[]): PlanStep => {
    const [next, other] = [slotsOf('2g.20gb@0'), slotsOf('1g.10gb@0')]
    return {
      kind: 'lay-out',
      node: 'm',
      cards: [
        { card: 'a', before: places, after: next },
        { card: 'b', before: [], after: other }
      ],
      ...terms,
      precondition: [
        { kind: 'card-holds', node: 'm', card: 'a', instances: places },
        { kind: 'card-holds', node: 'm', card: 'b', instances: [] },
        { kind: 'slots-are-idle', node: 'm', card: 'a', placements: places },
        { kind: 'slots-are-idle', node: 'm', card: 'b', placements: other }
      ],
      undo: {
        kind: 'steps',
        steps: [
          { kind: 'lay-out', node: 'm', cards: [{ card: 'a', before: next, after: places }], ...terms },
          { kind: 'uncordon', node: 'm', ...terms }
        ]
      }
    }
  }
  const again = againFrom(wanted.after)

  const [park, laidOut, ...after] = remapSeats(
    [
      {
        kind: 'park',
        node: 'm',
        pod: 'p',
        from: second,
        until: seatOf('n/b/whole'),
        why: 'no-spare',
        ...terms
      },
      again,
      { ...again, undo: terms.undo },
      move
    ],
    wanted,
    slotsOf('1g.10gb@0 1g.10gb@6')
  )

  t.strictSame(park?.kind === 'park' && park.from, seatOf('m/a/1g.10gb@6'))
  const moved = slotsOf('1g.10gb@0 1g.10gb@6')
  t.strictSame(laidOut, againFrom(moved))
  t.strictSame(after, [{ ...again, undo: terms.undo }, move])
  t.strictSame(remapSeats([{ ...again, undo: terms.undo }], wanted, moved)[0]?.undo, terms.undo)
  t.end()
})

t.test('[PLAN22] refuses instances that are not as many of each profile', (t) => {
  t.throws(() => remapSeats(rest, change, slotsOf('1g.10gb@4 1g.10gb@0')), {
    code: 'PLAN_INVALID',
    message: 'a was to hold 2g.20gb@0 + 1g.10gb@2 + 1g.10gb@3 + 1g.10gb@4 and holds 1g.10gb@0 + 1g.10gb@4'
  })
  t.end()
})
