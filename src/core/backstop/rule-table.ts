import { ruleCodes, type ruleLevels, rules } from '../api/rules.ts'
import { type EffectivePolicy, type Level, levels, type PolicyRead } from '../policy/effective-policy.ts'
import { enforcementOf, isSystemNamespace, lowestLevel } from '../policy/enforcement.ts'
import { type Exemption, lifts, USUAL_EXEMPTION_SECONDS } from '../policy/exemption.ts'
import { policiesOf } from '../policy/select-policy.ts'

/** What the admission policies need to know of the cluster, for they can neither list objects nor read a clock. */
export interface RuleTableInput {
  readonly namespaces: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[]
  readonly policies: readonly PolicyRead[]
  readonly exemptions: readonly Exemption[]
  readonly systemNamespaces: readonly string[]
  readonly nowMs: number
}

/**
 * Keys of the table, each built in one place:
 * `default.RULE` level of a rule where no policy says another;
 * `namespace.NAME` policy whose levels count there;
 * `policy.POLICY.RULE` level of a rule under that policy, where it is not the default;
 * `outside.NAME` a namespace that is left alone;
 * `exempt.NAMESPACE.RULE` for whom the rule is lifted, tokens divided by blanks.
 */
export const tableKeys = {
  ofDefault: (rule: string): string => `default.${rule}`,
  ofNamespace: (namespace: string): string => `namespace.${namespace}`,
  ofPolicy: (policy: string, rule: string): string => `policy.${policy}.${rule}`,
  ofOutside: (namespace: string): string => `outside.${namespace}`,
  ofExempt: (namespace: string, rule: string): string => `exempt.${namespace}.${rule}`
} as const

/** Longest key of a ConfigMap, characters. @source https://kubernetes.io/docs/concepts/configuration/configmap/ */
const MAX_KEY = 253

/** What stands for everybody of a namespace. */
const EVERYBODY = '*'

const spelled: Readonly<Record<Level, (typeof ruleLevels)[number]>> = {
  off: 'Off',
  warn: 'Warn',
  enforce: 'Enforce'
}

/** The levels that are built in, as the table that is shipped. */
export function defaultTable(): Readonly<Record<string, string>> {
  return Object.fromEntries(ruleCodes.map((code) => [tableKeys.ofDefault(code), rules[code].defaultLevel]))
}

/**
 * The table by which the admission policies act: levels by policy and namespace, and who is exempt now. The same input
 * gives the same table; keys are sorted. A policy whose keys would be too long counts with its defaults.
 */
export function ruleTable(input: RuleTableInput): Readonly<Record<string, string>> {
  const entries = input.namespaces.flatMap((namespace) => {
    if (enforcementOf(namespace.labels) === 'off') return []
    if (isSystemNamespace(namespace.name, input.systemNamespaces))
      return [[tableKeys.ofOutside(namespace.name), 'system'] as const]
    const [policy] = policiesOf(input.policies, namespace)
    const exempt = exemptEntries(namespace.name, input, policy)
    const levels = policy === undefined || isTooLong(policy) ? [] : levelEntries(policy)
    return policy === undefined || levels.length === 0
      ? exempt
      : [[tableKeys.ofNamespace(namespace.name), policy.name] as const, ...levels, ...exempt]
  })
  const table = { ...defaultTable(), ...Object.fromEntries(entries) }
  return Object.fromEntries(Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isTooLong({ name }: EffectivePolicy): boolean {
  return ruleCodes.some((code) => tableKeys.ofPolicy(name, code).length > MAX_KEY)
}

function levelEntries(policy: EffectivePolicy): readonly (readonly [string, string])[] {
  return ruleCodes.flatMap((code) => {
    const own = policy.isolationRules[code] ?? levels[rules[code].defaultLevel]
    const level = spelled[lowestLevel(policy.isolation, own)]
    return level === rules[code].defaultLevel ? [] : [[tableKeys.ofPolicy(policy.name, code), level]]
  })
}

function exemptEntries(
  namespace: string,
  { exemptions, nowMs }: RuleTableInput,
  policy: EffectivePolicy | undefined
): readonly (readonly [string, string])[] {
  const time = { nowMs, maxSeconds: policy?.maxExemptionSeconds ?? USUAL_EXEMPTION_SECONDS }
  const own = exemptions.filter((exemption) => exemption.namespace === namespace)
  return ruleCodes.flatMap((code) => {
    const tokens = own
      .filter((exemption) => lifts(exemption, code, time))
      .flatMap((exemption) => tokenOf(exemption) ?? [])
    return tokens.length === 0
      ? []
      : [[tableKeys.ofExempt(namespace, code), [...new Set(tokens)].toSorted().join(' ')]]
  })
}

/** Kinds whose pods the policies tell by owner and name alone. */
const plainKinds: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'Pod'
])

/**
 * `Deployment/app`, `label:app=web,tier=gpu`, or everybody where the policies cannot tell: what they let pass, the webhook
 * looks at again.
 */
function tokenOf({ target }: Exemption): string | undefined {
  if (target.kind === 'workload') {
    const { kind, name } = target.workload
    return plainKinds.has(kind) ? plainOnly(`${kind}/${name}`) : EVERYBODY
  }
  const { matchLabels = {}, matchExpressions = [] } = target.selector
  const pairs = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
  if (matchExpressions.length > 0 || pairs.length === 0) return EVERYBODY
  return pairs.every((pair) => plainOnly(pair)) ? `label:${pairs.toSorted().join(',')}` : undefined
}

/** The text, unless it holds what no name or label can: it would be taken apart into something else. */
function plainOnly(text: string): string | undefined {
  return /^[\w./=-]+$/.test(text) ? text : undefined
}
