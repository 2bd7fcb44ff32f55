import type { RuleCode } from '../api/rules.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { SecurityContainer, SecurityView } from '../pod/security-view.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { NodeIndex } from '../sharing/node-index.ts'
import type { GpuAsk } from './asks.ts'
import type { CelCheck } from './cel-check.ts'

/** What a rule looks at: the pod as it will be stored, and where. */
export interface RuleContext {
  readonly pod: PodView
  readonly security: SecurityView
  /** The pod before an update; undefined when it is new. */
  readonly before: SecurityView | undefined
  /** Every GPU resource that a container asks for, zero counts left out. */
  readonly asks: readonly GpuAsk[]
  /** Whether the pod gets a GPU in some way. */
  readonly hasGpu: boolean
  /** Whether one of its GPUs is shared with others; also asked about pods that are to get a share. */
  readonly hasSharedGpu: boolean
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  /** Policies that may govern pods of the namespace, the first one first. */
  readonly policies: readonly EffectivePolicy[]
  readonly nodes: NodeIndex
  readonly occasion: Occasion
}

/** What happens to the pod: it is created, a template for it is written, the pod itself is changed, or it has been running. */
export type Occasion = 'create' | 'template' | 'debug' | 'update' | 'running'

/** One breach of a rule, by one container or by the pod itself. */
export interface Breach {
  readonly rule: RuleCode
  /** undefined where the pod as a whole breaks the rule. */
  readonly container: Pick<SecurityContainer, 'name' | 'list'> | undefined
  /** What was seen, as a sentence without its subject: `sets NVIDIA_VISIBLE_DEVICES to "all"`; clean and short. */
  readonly seen: string
  /** What to do instead. */
  readonly wayOut: string
}

/** One rule: everything in the pod that breaks it. Pure and total. */
export interface Rule {
  readonly code: RuleCode
  readonly find: (context: RuleContext) => readonly Breach[]
  /** The rule without us; absent where it needs more than the pod. */
  readonly cel?: CelCheck
}

/** What one container does against a rule; undefined when it keeps it. */
export type ContainerCheck = (
  container: SecurityContainer,
  context: RuleContext
) => Pick<Breach, 'seen' | 'wayOut'> | undefined

/** A rule that looks at each container by itself. */
export function containerRule(code: RuleCode, check: ContainerCheck, cel: CelCheck): Rule {
  return {
    code,
    cel,
    find: (context) =>
      context.security.containers.flatMap((container) => {
        const found = check(container, context)
        return found === undefined ? [] : { rule: code, container, ...found }
      })
  }
}

/** A rule that looks at the pod as a whole. */
export function podRule(
  code: RuleCode,
  check: (context: RuleContext) => Pick<Breach, 'seen' | 'wayOut'> | undefined,
  cel?: CelCheck
): Rule {
  return {
    code,
    ...(cel === undefined ? {} : { cel }),
    find: (context) => {
      const found = check(context)
      return found === undefined ? [] : [{ rule: code, container: undefined, ...found }]
    }
  }
}
