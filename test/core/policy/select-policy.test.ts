import t from 'tap'
import { toEffectivePolicy } from '../../../src/core/policy/effective-policy.ts'
import { policiesOf, selectPolicy } from '../../../src/core/policy/select-policy.ts'

const aPolicy = (name: string, spec: object = {}) => toEffectivePolicy({ metadata: { name }, spec })

const reachable: Readonly<Record<string, string>> = { pool: 'gpu', zone: 'a' }

const question = {
  namespace: { name: 'search', labels: { team: 'ml' } },
  reaches: ({ nodeSelector }: { readonly nodeSelector: Readonly<Record<string, string>> }) =>
    Object.entries(nodeSelector).every(([key, value]) => reachable[key] === value)
}

interface Case {
  readonly name: string
  readonly policies: readonly ReturnType<typeof aPolicy>[]
  readonly want: string
}

const invalid = { mode: 'Auto' }
const elsewhere = { nodeSelector: { pool: 'cpu' } }
const otherTeam = { namespaceSelector: { matchLabels: { team: 'web' } } }
const byName = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'search' } } }

const cases: readonly Case[] = [
  { name: 'no policy', policies: [], want: 'none' },
  { name: 'a policy without selectors governs everything', policies: [aPolicy('a')], want: 'selected a' },
  {
    name: 'the highest priority',
    policies: [aPolicy('a'), aPolicy('b', { priority: 5 })],
    want: 'selected b'
  },
  {
    name: 'a negative priority comes last',
    policies: [aPolicy('a', { priority: -1 }), aPolicy('b')],
    want: 'selected b'
  },
  { name: 'then the first name', policies: [aPolicy('b'), aPolicy('a'), aPolicy('B')], want: 'selected B' },
  {
    name: 'not for another namespace',
    policies: [aPolicy('a', { ...otherTeam, priority: 9 }), aPolicy('b')],
    want: 'selected b'
  },
  {
    name: 'a namespace can be named',
    policies: [aPolicy('a', { ...byName, priority: 1 }), aPolicy('b')],
    want: 'selected a'
  },
  {
    name: 'not for nodes out of reach',
    policies: [aPolicy('a', { ...elsewhere, priority: 9 }), aPolicy('b')],
    want: 'selected b'
  },
  {
    name: 'for nodes in reach',
    policies: [aPolicy('a', { nodeSelector: { pool: 'gpu' } })],
    want: 'selected a'
  },
  { name: 'not when suspended', policies: [aPolicy('a', { suspend: true })], want: 'none' },
  {
    name: 'an invalid one turns only itself off',
    policies: [aPolicy('a', { ...invalid, priority: 9 }), aPolicy('b')],
    want: 'selected b instead of a'
  },
  {
    name: 'an invalid one of lower rank is not named',
    policies: [aPolicy('a', { priority: 9 }), aPolicy('b', invalid)],
    want: 'selected a'
  },
  { name: 'only invalid ones', policies: [aPolicy('b', invalid), aPolicy('a', invalid)], want: 'invalid a' },
  { name: 'an invalid one for others', policies: [aPolicy('a', { ...invalid, ...otherTeam })], want: 'none' },
  {
    name: 'an invalid one out of reach',
    policies: [aPolicy('a', { ...invalid, ...elsewhere })],
    want: 'none'
  },
  {
    name: 'an invalid one that is suspended',
    policies: [aPolicy('a', { ...invalid, suspend: true })],
    want: 'none'
  },
  {
    name: 'an invalid one without readable selectors',
    policies: [aPolicy('a', { nodeSelector: 'gpu' })],
    want: 'none'
  }
]

function told(choice: ReturnType<typeof selectPolicy>): string {
  switch (choice.kind) {
    case 'none':
      return 'none'
    case 'invalid':
      return `invalid ${choice.name}`
    case 'selected': {
      const { policy, insteadOf } = choice
      const rest = insteadOf.length === 0 ? '' : ` instead of ${insteadOf.map(({ name }) => name).join(', ')}`
      return `selected ${policy.name}${rest}`
    }
  }
}

for (const { name, policies, want } of cases) {
  t.test(name, async (t) => {
    t.equal(told(selectPolicy(policies, question)), want)
    t.equal(told(selectPolicy(policies.toReversed(), question)), want, 'in any order')
  })
}

t.test('asks for the nodes of no more policies than it must', async (t) => {
  const asked: unknown[] = []
  const policies = [aPolicy('a'), aPolicy('b', { priority: 1 }), aPolicy('c')]

  selectPolicy(policies, { ...question, reaches: (selector) => asked.push(selector) > 0 })

  t.equal(asked.length, 1)
})

t.test(
  'the policies of a namespace, in rank, whatever their nodes; invalid ones left out, suspended ones not',
  async (t) => {
    const policies = [
      aPolicy('b', elsewhere),
      aPolicy('a', { suspend: true }),
      aPolicy('c', { priority: 5 }),
      aPolicy('d', { ...invalid, priority: 9 }),
      aPolicy('e', otherTeam)
    ]

    t.strictSame(
      policiesOf(policies, question.namespace).map(({ name }) => name),
      ['c', 'a', 'b']
    )
  }
)
