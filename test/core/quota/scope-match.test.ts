import t from 'tap'
import type { ScopeTraits } from '../../../src/core/pod/scope-traits.ts'
import type { QuotaScope } from '../../../src/core/quota/resource-quota.ts'
import { matchScopes, type ScopeMatch } from '../../../src/core/quota/scope-match.ts'

const plain: ScopeTraits = { priorityClassName: undefined, hasDeadline: false, isBestEffort: false }
const high = { ...plain, priorityClassName: 'high' }

function scope(name: string, operator = 'Exists', ...values: readonly string[]): QuotaScope {
  return { name, operator, values }
}

const byClass = (operator: string, ...values: readonly string[]): readonly QuotaScope[] => [
  scope('PriorityClass', operator, ...values)
]

const cases: readonly (readonly [string, readonly QuotaScope[], ScopeTraits, ScopeMatch])[] = [
  ['no scope', [], plain, 'yes'],
  ['Terminating, without a deadline', [scope('Terminating')], plain, 'no'],
  ['Terminating, with a deadline', [scope('Terminating')], { ...plain, hasDeadline: true }, 'yes'],
  ['NotTerminating, without a deadline', [scope('NotTerminating')], plain, 'yes'],
  ['NotTerminating, with a deadline', [scope('NotTerminating')], { ...plain, hasDeadline: true }, 'no'],
  ['BestEffort, with requests', [scope('BestEffort')], plain, 'no'],
  ['BestEffort, without', [scope('BestEffort')], { ...plain, isBestEffort: true }, 'yes'],
  ['NotBestEffort, with requests', [scope('NotBestEffort')], plain, 'yes'],
  ['NotBestEffort, without', [scope('NotBestEffort')], { ...plain, isBestEffort: true }, 'no'],
  ['a class that is listed', byClass('In', 'low', 'high'), high, 'yes'],
  ['a class that is not listed', byClass('In', 'low'), high, 'no'],
  ['no class where one is listed', byClass('In', 'low'), plain, 'no'],
  ['a class that is excluded', byClass('NotIn', 'high'), high, 'no'],
  ['no class where one is excluded', byClass('NotIn', 'high'), plain, 'yes'],
  ['any class', byClass('Exists'), high, 'yes'],
  ['no class where any is wanted', byClass('Exists'), plain, 'no'],
  ['a class where none is wanted', byClass('DoesNotExist'), high, 'no'],
  ['no class where none is wanted', byClass('DoesNotExist'), plain, 'yes'],
  ['an operator of later versions', byClass('Gt', '5'), high, 'unknown'],
  ['a scope that is not looked at', [scope('CrossNamespacePodAffinity')], plain, 'unknown'],
  ['a scope of later versions', [scope('Tomorrow')], plain, 'unknown'],
  ['one of two that does not match', [scope('Tomorrow'), scope('Terminating')], plain, 'no'],
  ['one of two that is not known', [scope('NotTerminating'), scope('Tomorrow')], plain, 'unknown']
]

for (const [name, scopes, traits, want] of cases) {
  t.test(`[QUOTA3] ${name}: ${want}`, async (t) => {
    t.equal(matchScopes(scopes, traits), want)
  })
}
