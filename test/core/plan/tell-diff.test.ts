import t from 'tap'
import { diffPlans } from '../../../src/core/plan/diff-plans.ts'
import { tellDiff } from '../../../src/core/plan/tell-diff.ts'
import { aPlan, aState } from './order-case.ts'

const state = aState({
  a: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } },
  b: { unit: 'card', cards: { b: { '1g.10gb@0': 'r' } } },
  d: { unit: 'card', cards: { d: { '1g.10gb@0': '', '1g.10gb@1': '' }, e: {} } }
})

t.test('[PLAN31] says what differs, a line each', (t) => {
  const before = aPlan(state, {
    moves: { p: 'd/d/1g.10gb@0', q: 'd/d/1g.10gb@1' },
    layouts: { e: '7g.80gb@0' },
    freedCards: ['a']
  })
  const after = aPlan(state, {
    moves: { p: 'd/e/4g.40gb@0', r: 'd/d/1g.10gb@1' },
    layouts: { e: '4g.40gb@0' }
  })

  t.strictSame(tellDiff(diffPlans(before, after)), [
    'the plans were made for different inputs',
    'steps: 4 before, 3 after',
    'GPUs freed: 1 before, 0 after',
    '+ move r from b/b/1g.10gb@0 to d/d/1g.10gb@1',
    '- move q from a/a/1g.10gb@1 to d/d/1g.10gb@1',
    '- release a/a',
    '~ p ends in d/e/4g.40gb@0, not d/d/1g.10gb@0',
    '~ d/e ends as 4g.40gb@0, not 7g.80gb@0',
    '> at another time: lay out d: e 4g.40gb@0'
  ])
  t.end()
})

t.test('[PLAN31] says nothing where nothing differs', (t) => {
  const plan = aPlan(state, { moves: { p: 'd/d/1g.10gb@0' } })

  t.strictSame(tellDiff(diffPlans(plan, plan)), [])
  t.end()
})
