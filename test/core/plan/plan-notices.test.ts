import t from 'tap'
import { noticesOf } from '../../../src/core/plan/plan-notices.ts'
import type { PlanStep, WhyParked } from '../../../src/core/plan/plan-step.ts'
import { seatOf } from './order-case.ts'

const [from, to] = [seatOf('m/a/1g.10gb@0'), seatOf('n/c/1g.10gb@0')]
const terms = { precondition: [], undo: { kind: 'none', why: 'a test' } } as const

function park(node: string, why: WhyParked, replicaSeconds: number): PlanStep {
  return { kind: 'park', node, pod: 'p', from, until: to, why, ...terms, cost: { replicaSeconds, pods: 1 } }
}

function move(purpose: 'target' | 'to-spare' | 'from-spare'): PlanStep {
  return {
    kind: 'move',
    node: 'm',
    pod: 'p',
    from,
    to,
    purpose,
    ...terms,
    cost: { replicaSeconds: 7, pods: 1 }
  }
}

t.test('[PLAN25] says how many pods of which node wait or move twice, and why', (t) => {
  const steps = [
    park('n', 'lay-out', 3),
    park('n', 'lay-out', 4),
    park('n', 'undo', 9),
    park('m', 'no-spare-holds-it', 5),
    park('m', 'no-spare', 6),
    move('target'),
    move('to-spare'),
    move('from-spare')
  ]

  t.strictSame(noticesOf(steps, []), [
    {
      kind: 'no-spare',
      node: 'm',
      pods: 1,
      replicaSeconds: 6,
      sentence:
        '1 pod of m waits without a GPU until its place is there, because cards wait for one another and no spare card is kept'
    },
    {
      kind: 'no-spare-holds-it',
      node: 'm',
      pods: 1,
      replicaSeconds: 5,
      sentence:
        '1 pod of m waits without a GPU until its place is there, because cards wait for one another and no spare card holds it'
    },
    {
      kind: 'spare',
      node: 'm',
      pods: 1,
      replicaSeconds: 7,
      sentence: '1 pod of m goes to a spare card and moves twice, because cards wait for one another'
    },
    {
      kind: 'lay-out',
      node: 'n',
      pods: 2,
      replicaSeconds: 7,
      sentence: '2 pods of n wait without a GPU while cards are laid out anew in which they start again'
    }
  ])
  t.end()
})

t.test('[PLAN25] speaks of several', (t) => {
  const twice = (step: PlanStep): readonly string[] =>
    noticesOf([step, step], []).map(({ sentence }) => sentence)

  t.strictSame(
    [park('m', 'no-spare', 1), park('m', 'no-spare-holds-it', 1), move('to-spare')].flatMap(twice),
    [
      '2 pods of m wait without a GPU until their places are there, because cards wait for one another and no spare card is kept',
      '2 pods of m wait without a GPU until their places are there, because cards wait for one another and no spare card holds them',
      '2 pods of m go to a spare card and move twice, because cards wait for one another'
    ]
  )
  t.strictSame(
    noticesOf([park('m', 'lay-out', 1)], []).map(({ sentence }) => sentence),
    ['1 pod of m waits without a GPU while cards are laid out anew in which it starts again']
  )
  t.end()
})

t.test('[PLAN25] says nothing where nobody waits', (t) => {
  t.strictSame(noticesOf([move('target')], []), [])
  t.end()
})

t.test('[PLAN32] names budgets that do not allow the plan, first', (t) => {
  const needs = [
    { budget: 'team/w', needed: 2, allowed: 1, node: 'm' },
    { budget: 'team/x', needed: 1, allowed: 0, node: 'n' },
    { budget: 'team/y', needed: 1, allowed: 1, node: 'n' }
  ]

  t.strictSame(noticesOf([park('a', 'lay-out', 1)], needs).slice(0, 2), [
    {
      kind: 'budget',
      node: 'm',
      budget: 'team/w',
      pods: 2,
      allowed: 1,
      sentence:
        '2 pods of team/w have to be down at one time, and 1 may be: the plan stops before that until the budget allows it'
    },
    {
      kind: 'budget',
      node: 'n',
      budget: 'team/x',
      pods: 1,
      allowed: 0,
      sentence:
        '1 pod of team/x has to be down at one time, and 0 may be: the plan stops before that until the budget allows it'
    }
  ])
  t.equal(noticesOf([park('a', 'lay-out', 1)], needs).length, 3)
  t.end()
})
