import type { ReasonCode } from '../api/reasons.ts'
import { type RuleCode, rules } from '../api/rules.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { SecurityView } from '../pod/security-view.ts'
import { type EffectivePolicy, type Level, levels, type PolicyRead } from '../policy/effective-policy.ts'
import { enforcementOf, isSystemNamespace, lowestLevel } from '../policy/enforcement.ts'
import { policiesOf } from '../policy/select-policy.ts'
import type { NodeIndex } from '../sharing/node-index.ts'
import { fractionMarkOf, gpuAsksOf } from './asks.ts'
import { chain } from './chain.ts'
import type { Breach, Occasion, Rule, RuleContext } from './rule.ts'

/** Everything that isolation looks at: one record, gathered from memory. */
export interface IsolationInput {
  readonly operation: string
  readonly subResource: string
  readonly pod: PodView
  /** The pod as it will be stored. */
  readonly security: SecurityView
  /** The pod before an update. */
  readonly before?: SecurityView
  /** true for the pod that a workload would make. */
  readonly isTemplate?: boolean
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly settings: { readonly systemNamespaces: readonly string[] }
  readonly policies: readonly PolicyRead[]
  readonly nodes: NodeIndex
}

/** What isolation says of a pod. */
export type Verdict =
  /** It is not looked at. */
  | { readonly kind: 'outside'; readonly reason: ReasonCode }
  | {
      readonly kind: 'judged'
      /** The policy whose levels count; undefined where none governs and the built-in levels do. */
      readonly policy: string | undefined
      /** Breaches for which the pod is refused. */
      readonly refused: readonly Breach[]
      /** Breaches that are only told. */
      readonly warned: readonly Breach[]
    }

/**
 * Judges a pod by every rule. Pure, deterministic and total. A rule acts at the lowest of three levels: that of the
 * namespace's label, of the policy's `admission.isolation`, and of the rule. The policy is the one that ranks first for the
 * namespace, wherever its nodes are: a pod must not choose its rules by a node selector. A suspended policy still counts.
 */
export function judgeIsolation(input: IsolationInput): Verdict {
  const reason = outsideReason(input)
  if (reason !== undefined) return { kind: 'outside', reason }
  const policies = policiesOf(input.policies, input.namespace)
  const breaches = breachesOf(input, { policies, asked: chain }).map((breach) => ({
    breach,
    level: levelOf(breach.rule, input, policies[0])
  }))
  const at = (wanted: Level): Breach[] =>
    breaches.flatMap(({ breach, level }) => (level === wanted ? breach : []))
  return { kind: 'judged', policy: policies[0]?.name, refused: at('enforce'), warned: at('warn') }
}

/** Why the pod is not looked at; undefined when it is. */
export function outsideReason({
  pod,
  namespace,
  settings,
  ...input
}: Omit<IsolationInput, 'security'>): ReasonCode | undefined {
  if (occasionOf(input) === undefined) return 'NotAPodCreation'
  if (Object.hasOwn(pod.annotations, 'kubernetes.io/config.mirror')) return 'MirrorPod'
  if (isSystemNamespace(namespace.name, settings.systemNamespaces)) return 'SystemNamespace'
  return enforcementOf(namespace.labels) === 'off' ? 'NamespaceNotOptedIn' : undefined
}

function occasionOf({
  operation,
  subResource,
  isTemplate
}: Pick<IsolationInput, 'operation' | 'subResource' | 'isTemplate'>): Occasion | undefined {
  if (isTemplate === true) return 'template'
  if (operation === 'CREATE' && subResource === '') return 'create'
  if (operation !== 'UPDATE') return undefined
  if (subResource === 'ephemeralcontainers') return 'debug'
  return subResource === '' ? 'update' : undefined
}

/** At which level the policy that ranks first for the namespace has a rule act. */
export function levelIn(code: RuleCode, input: Pick<IsolationInput, 'namespace' | 'policies'>): Level {
  return levelOf(code, input, policiesOf(input.policies, input.namespace)[0])
}

function levelOf(
  code: RuleCode,
  { namespace }: Pick<IsolationInput, 'namespace'>,
  policy: EffectivePolicy | undefined
): Level {
  const own = policy?.isolationRules[code] ?? levels[rules[code].defaultLevel]
  return lowestLevel(enforcementOf(namespace.labels), policy?.isolation ?? 'enforce', own)
}

/** By what a pod is judged. */
interface Judging {
  readonly policies: readonly EffectivePolicy[]
  /** The rules that are asked, in the order of the chain. */
  readonly asked: readonly Rule[]
  readonly asShared?: boolean
}

/** What breaks the rules that are asked. */
export function breachesOf(
  input: Omit<IsolationInput, 'settings' | 'policies'>,
  { policies, asked, asShared = false }: Judging
): readonly Breach[] {
  const occasion = occasionOf(input) ?? 'create'
  const context = contextOf(input, { policies, occasion, asShared })
  const found = asked
    .filter(({ code }) => occasion !== 'update' || code === 'ReservedKeyChanged')
    .flatMap((rule) => rule.find(context))
  return occasion === 'debug' ? found.filter((breach) => isByNewContainer(breach, input.before)) : found
}

function contextOf(
  { pod, security, before, namespace, nodes }: Parameters<typeof breachesOf>[0],
  rest: {
    readonly policies: readonly EffectivePolicy[]
    readonly occasion: Occasion
    readonly asShared: boolean
  }
): RuleContext {
  const asks = gpuAsksOf(security, pod)
  const isFraction = fractionMarkOf(security) !== undefined
  const usesClaims = security.usesClaims || security.containers.some((container) => container.usesClaims)
  return {
    pod,
    security,
    before,
    asks,
    hasGpu: asks.length > 0 || isFraction || usesClaims,
    hasSharedGpu: rest.asShared || isFraction || asks.some(({ shared }) => shared),
    namespace,
    policies: rest.policies,
    nodes,
    occasion: rest.occasion
  }
}

/** An ephemeral container cannot be taken back, so only those that come with this update count. */
function isByNewContainer({ container }: Breach, before: SecurityView | undefined): boolean {
  return (
    container?.list === 'ephemeralContainers' &&
    before?.containers.some(({ list, name }) => list === container.list && name === container.name) !== true
  )
}
