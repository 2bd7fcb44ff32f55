import t from 'tap'
import { type PlanInputs, planInputText } from '../../../src/core/plan/plan-input-text.ts'
import { aState, aTarget, noTarget } from './order-case.ts'

const state = aState({ n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': '' }, d: {} } } })
const inputs: PlanInputs = {
  state: { ...state, pools: [] },
  target: aTarget(state, { moves: { p: 'n/c/1g.10gb@1' }, freedCards: ['x', 'y'] }),
  spares: ['d', 'e'],
  settings: { margin: 0.2, nested: { on: true, names: ['a', 'a', 'b'] }, none: null }
}
const text = planInputText(inputs)

t.test('[PLAN28] is the same in whatever order lists and fields come', (t) => {
  const { target, settings } = inputs
  const other: PlanInputs = {
    settings: { none: null, nested: { names: ['a', 'a', 'b'], on: true }, margin: 0.2, absent: undefined },
    spares: ['e', 'd'],
    target: { ...target, freedCards: ['y', 'x'] },
    state: {
      pods: state.pods,
      nodes: state.nodes.map((node) => ({ ...node, cards: node.cards.toReversed() })),
      pools: []
    }
  }

  t.equal(planInputText(other), text)
  t.equal(settings['absent'], undefined)
  t.end()
})

t.test('[PLAN28] is another as soon as any value differs', (t) => {
  const { target, settings } = inputs
  const [pod] = state.pods
  const others: readonly PlanInputs[] = [
    { ...inputs, spares: ['d'] },
    { ...inputs, spares: ['d', 'e', 'e'] },
    { ...inputs, spares: ['d,e'] },
    { ...inputs, settings: { ...settings, margin: 0.3 } },
    { ...inputs, settings: { ...settings, margin: '0.2' } },
    { ...inputs, settings: { ...settings, none: false } },
    { ...inputs, settings: { ...settings, nested: { on: true, names: ['a', 'b', 'b'] } } },
    { ...inputs, settings: { ...settings, nested: { on: true, names: ['a', 'b'] } } },
    { ...inputs, settings: { ...settings, nested: { on: true, names: ['b', 'a', 'a'] } } },
    { ...inputs, target: { ...target, freedNodes: ['n'] } },
    { ...inputs, target: { ...target, freedCards: [], freedNodes: ['x', 'y'] } },
    { ...inputs, state: { ...inputs.state, pods: [] } },
    { ...inputs, state: { ...inputs.state, pods: pod === undefined ? [] : [{ ...pod, restartSeconds: 11 }] } }
  ]

  t.equal(new Set([text, ...others.map(planInputText)]).size, others.length + 1)
  t.end()
})

t.test(
  '[PLAN28] is JSON with sorted fields, and sorted lists but in settings, whose order may mean something',
  (t) => {
    const none = {
      state: { pools: [], nodes: [], pods: [] },
      target: noTarget
    }

    t.equal(
      planInputText({
        ...none,
        spares: ['b', 'a'],
        settings: { z: 'a"b', a: [2, 10, [true]], gone: [undefined] }
      }),
      '{"settings":{"a":[2,10,[true]],"gone":[null],"z":"a\\"b"},"spares":["a","b"],"state":{"nodes":[],"pods":[],"pools":[]},"target":{"freedCards":[],"freedNodes":[],"layouts":[],"moves":[]}}'
    )
    t.end()
  }
)

for (const number of [Number.NaN, Infinity, -Infinity]) {
  t.test(`[PLAN28] refuses ${number}, which JSON cannot say`, (t) => {
    const message = `a plan cannot be made with the number ${number}`
    const [node] = inputs.state.nodes
    const nodes = node === undefined ? [] : [{ ...node, freeCpuMilli: number }]

    t.throws(() => planInputText({ ...inputs, settings: { deep: [{ number }] } }), {
      code: 'PLAN_INVALID',
      message
    })
    t.throws(() => planInputText({ ...inputs, state: { ...inputs.state, nodes } }), {
      code: 'PLAN_INVALID',
      message
    })
    t.end()
  })
}
