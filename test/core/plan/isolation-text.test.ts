import t from 'tap'
import { tellIsolation } from '../../../src/core/plan/isolation-text.ts'
import { migMixed } from '../../../src/core/sharing/mig-mixed.ts'
import { aState } from './order-case.ts'

const shared =
  'Not separated are PCIe and the bandwidth of host memory, the limits of power and temperature of the card, the GPU driver, and the node itself with its kernel: all pods of a node share them.'

t.test('[PLAN30] says what MIG separates and what not, and which cards are shared that were not', (t) => {
  const pods = {
    p: { workload: 'red/Deployment/p', tenant: 'red' },
    q: { workload: 'red/Deployment/q', tenant: 'red' },
    r: { workload: 'blue/Deployment/r' },
    s: { workload: 'blue/Deployment/r' }
  }
  const before = aState(
    {
      n: {
        unit: 'card',
        cards: {
          d: { '1g.10gb@0': 'p' },
          c: { '1g.10gb@0': 'q' },
          b: { '1g.10gb@0': 'r' },
          e: { whole: 's' }
        }
      }
    },
    pods
  )
  const after = aState(
    {
      n: {
        unit: 'card',
        cards: {
          d: { '1g.10gb@0': '' },
          c: { '1g.10gb@0': 'q', '1g.10gb@1': 'p', '1g.10gb@2': 'r' },
          b: {},
          e: { whole: 's' }
        }
      }
    },
    pods
  )

  t.strictSame(tellIsolation(before, after), [
    `1 card in use will be cut into MIG slices: between the pods of such a card ${migMixed.isolates('hardware')}.`,
    shared,
    '1 card will hold pods of more than one workload and did not before (number of workloads): n/c (3).',
    '1 card will hold pods of more than one namespace and did not before (number of namespaces): n/c (2).',
    '1 card will stay with the pods of one workload alone: n/e.',
    'At no step does a pod of the 1 tenant that is kept apart come to a card of another.'
  ])
  t.end()
})

t.test('[PLAN30] says so where nothing gets shared, and names ten cards at most', (t) => {
  const cards = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `c${String(index).padStart(2, '0')}`,
      { '1g.10gb@0': `p${index}` }
    ])
  )
  const state = aState({
    n: { unit: 'card', cards: { ...cards, d: { '1g.10gb@0': 'x', '1g.10gb@1': 'y' } } }
  })

  t.strictSame(tellIsolation(state, state), [
    `13 cards in use will be cut into MIG slices: between the pods of such a card ${migMixed.isolates('hardware')}.`,
    shared,
    'No card will hold pods of more than one workload that did not before.',
    'No card will hold pods of more than one namespace that did not before.',
    '12 cards will stay with the pods of one workload alone: n/c00, n/c01, n/c02, n/c03, n/c04, n/c05, n/c06, n/c07, n/c08, n/c09, and 2 more.'
  ])
  t.end()
})

t.test('[PLAN30] a pod of which nothing is known counts as nobody', (t) => {
  const state = aState({ n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } } })
  const pods = state.pods.slice(0, 1)

  t.equal(
    tellIsolation({ ...state, pods }, { ...state, pods })[4],
    '1 card will stay with the pods of one workload alone: n/c.'
  )
  t.end()
})

t.test('[PLAN30] says so where no card is in use, and counts tenants', (t) => {
  const empty = aState({ n: { unit: 'card', cards: { c: {} } } })
  const two = aState(
    { n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' }, d: { '1g.10gb@0': 'q' } } } },
    { p: { tenant: 'a' }, q: { tenant: 'b' } }
  )

  t.equal(tellIsolation(empty, empty)[0], 'No card in use will be cut into MIG slices.')
  t.equal(tellIsolation(empty, empty)[4], 'No card will stay with the pods of one workload alone.')
  t.equal(
    tellIsolation(two, two)[5],
    'At no step does a pod of one of the 2 tenants that are kept apart come to a card of another.'
  )
  t.end()
})
