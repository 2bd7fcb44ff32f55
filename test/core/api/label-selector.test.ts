import t from 'tap'
import { LabelSelector, matchesSelector } from '../../../src/core/api/label-selector.ts'

const labels = { team: 'ml', stage: 'dev', empty: '' }

const cases: readonly { readonly name: string; readonly selector: LabelSelector; readonly want: boolean }[] =
  [
    { name: 'an empty selector matches', selector: {}, want: true },
    { name: 'equal labels match', selector: { matchLabels: { team: 'ml', stage: 'dev' } }, want: true },
    {
      name: 'one other label is enough to fail',
      selector: { matchLabels: { team: 'ml', stage: 'prod' } },
      want: false
    },
    { name: 'an absent label fails', selector: { matchLabels: { zone: '' } }, want: false },
    { name: 'an empty value is a value', selector: { matchLabels: { empty: '' } }, want: true },
    { name: 'inherited keys are no labels', selector: { matchLabels: { constructor: 'x' } }, want: false },
    {
      name: 'In matches',
      selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'ml'] }] },
      want: true
    },
    {
      name: 'In fails on another value',
      selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] },
      want: false
    },
    {
      name: 'In fails on an absent key',
      selector: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
      want: false
    },
    {
      name: 'In without values fails',
      selector: { matchExpressions: [{ key: 'team', operator: 'In' }] },
      want: false
    },
    {
      name: 'NotIn matches another value',
      selector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
      want: true
    },
    {
      name: 'NotIn fails on the value',
      selector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['ml'] }] },
      want: false
    },
    {
      name: 'NotIn matches an absent key',
      selector: { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
      want: true
    },
    {
      name: 'Exists matches',
      selector: { matchExpressions: [{ key: 'empty', operator: 'Exists' }] },
      want: true
    },
    {
      name: 'Exists fails',
      selector: { matchExpressions: [{ key: 'toString', operator: 'Exists' }] },
      want: false
    },
    {
      name: 'DoesNotExist matches',
      selector: { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] },
      want: true
    },
    {
      name: 'DoesNotExist fails',
      selector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] },
      want: false
    },
    {
      name: 'labels and expressions must both hold',
      selector: {
        matchLabels: { team: 'ml' },
        matchExpressions: [{ key: 'stage', operator: 'In', values: ['prod'] }]
      },
      want: false
    }
  ]

for (const { name, selector, want } of cases) {
  t.test(name, async (t) => {
    t.equal(matchesSelector(selector, labels), want)
  })
}

t.test('demands values for In and NotIn, and none for the others', async (t) => {
  const read = (operator: string, values?: readonly string[]) =>
    LabelSelector.safeParse({ matchExpressions: [{ key: 'a', operator, values }] }).success

  t.strictSame(
    [read('In', ['x']), read('NotIn', ['x']), read('Exists'), read('DoesNotExist', [])],
    [true, true, true, true]
  )
  t.strictSame(
    [read('In'), read('NotIn', []), read('Exists', ['x']), read('Equals', ['x'])],
    [false, false, false, false]
  )
})
