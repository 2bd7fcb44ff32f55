import type { ReasonCode } from '../api/reasons.ts'
import { type RuleCode, rules } from '../api/rules.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { SecurityView } from '../pod/security-view.ts'
import type { WorkloadRef } from '../pod/workload.ts'
import { type EffectivePolicy, type Level, levels, type PolicyRead } from '../policy/effective-policy.ts'
import { enforcementOf, isSystemNamespace, lowestLevel } from '../policy/enforcement.ts'
import { type Exemption, exemptionFor, USUAL_EXEMPTION_SECONDS } from '../policy/exemption.ts'
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
  /** true for a pod that is in the cluster already and is looked at again; `operation` does not count then. */
  readonly isRunning?: boolean
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly settings: { readonly systemNamespaces: readonly string[] }
  readonly policies: readonly PolicyRead[]
  readonly nodes: NodeIndex
  /** Exemptions of the namespace, those that ended too. */
  readonly exemptions: readonly Exemption[]
  readonly workload: WorkloadRef
  readonly nowMs: number
}

/** A breach that an exemption lets pass. */
export interface ExemptBreach {
  readonly breach: Breach
  /** Name of the exemption, an object of the pod's namespace. */
  readonly exemption: string
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
      /** Breaches that would be told or refused, were there no exemption. */
      readonly exempt: readonly ExemptBreach[]
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
  const [policy] = policies
  const refused: Breach[] = []
  const warned: Breach[] = []
  const exempt: ExemptBreach[] = []
  const byRule = Map.groupBy(breachesOf(input, { policies, asked: chain }), ({ rule }) => rule)
  for (const [rule, breaches] of byRule) {
    const level = levelOf(rule, input, policy)
    if (level === 'off') continue
    const exemption = liftedBy(rule, input, policy)
    for (const breach of breaches) {
      if (exemption !== undefined) exempt.push({ breach, exemption })
      else if (level === 'enforce') refused.push(breach)
      else warned.push(breach)
    }
  }
  return { kind: 'judged', policy: policy?.name, refused, warned, exempt }
}

/** Name of the exemption that lifts a rule for the pod. */
function liftedBy(
  rule: RuleCode,
  { exemptions, security, workload, nowMs }: IsolationInput,
  policy: EffectivePolicy | undefined
): string | undefined {
  const maxSeconds = policy?.maxExemptionSeconds ?? USUAL_EXEMPTION_SECONDS
  const subject = { labels: security.labels, workload }
  return exemptionFor(exemptions, rule, { subject, time: { nowMs, maxSeconds } })?.name
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
  isTemplate,
  isRunning
}: Pick<IsolationInput, 'operation' | 'subResource' | 'isTemplate' | 'isRunning'>): Occasion | undefined {
  if (isTemplate === true) return 'template'
  if (isRunning === true) return 'running'
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
  return lowestLevel(
    enforcementOf(namespace.labels),
    policy?.isolation ?? 'enforce',
    ownLevelOf(code, policy)
  )
}

/** The level of a rule by itself, whatever namespace and policy allow: as the policy names it, else as the table does. */
export function ownLevelOf(code: RuleCode, policy: EffectivePolicy | undefined): Level {
  return policy?.isolationRules[code] ?? levels[rules[code].defaultLevel]
}

/** By what a pod is judged. */
interface Judging {
  readonly policies: readonly EffectivePolicy[]
  /** The rules that are asked, in the order of the chain. */
  readonly asked: readonly Rule[]
  readonly asShared?: boolean
}

/** Rules about what an update of a pod may still change; all else of a pod is fixed. */
const countsOnUpdate: ReadonlySet<RuleCode> = new Set(['CdiAnnotation', 'ReservedKeyChanged'])

/** What rules look at of an input; who lifts a breach, and at which level it acts, is told later. */
type PodInput = Omit<IsolationInput, 'settings' | 'policies' | 'exemptions' | 'workload' | 'nowMs'>

/** What breaks the rules that are asked. */
export function breachesOf(
  input: PodInput,
  { policies, asked, asShared = false }: Judging
): readonly Breach[] {
  const occasion = occasionOf(input) ?? 'create'
  const context = contextOf(input, { policies, occasion, asShared })
  const counting = occasion === 'update' ? asked.filter(({ code }) => countsOnUpdate.has(code)) : asked
  const found = counting.flatMap((rule) => rule.find(context))
  return occasion === 'debug' ? byNewContainers(found, input.before) : found
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
function byNewContainers(breaches: readonly Breach[], before: SecurityView | undefined): readonly Breach[] {
  const debugging = before?.containers.filter(({ list }) => list === 'ephemeralContainers') ?? []
  const known = new Set(debugging.map(({ name }) => name))
  return breaches.filter(
    ({ container }) => container?.list === 'ephemeralContainers' && !known.has(container.name)
  )
}
