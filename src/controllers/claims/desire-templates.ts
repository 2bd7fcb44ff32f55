import { type ClaimAsk, type ClaimTemplate, templateName } from '../../core/cluster/devices/claim-template.ts'
import type { NodeView } from '../../core/cluster/node-view.ts'
import type { EffectivePolicy, PolicyRead } from '../../core/policy/effective-policy.ts'
import { isRewriting, isSystemNamespace } from '../../core/policy/enforcement.ts'
import { policiesOf } from '../../core/policy/select-policy.ts'
import { dra } from '../../core/sharing/dra.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'

/** What templates depend on. */
export interface TemplateScope {
  readonly nodes: readonly NodeView[]
  readonly namespaces: readonly NamespaceView[]
  readonly policies: readonly PolicyRead[]
  readonly systemNamespaces: readonly string[]
}

/** A template that should be there. */
export interface WantedTemplate {
  readonly namespace: string
  readonly name: string
  readonly asks: ClaimAsk
}

/** The templates that pods may be given: per namespace that is changed, and profile that its policies allow; sorted. */
export function wantedTemplates({
  nodes,
  namespaces,
  policies,
  ...scope
}: TemplateScope): readonly WantedTemplate[] {
  const asks = asksOf(nodes)
  return namespaces
    .filter(({ name }) => !isSystemNamespace(name, scope.systemNamespaces))
    .flatMap((namespace) => {
      const own = policiesOf(policies, namespace).filter((policy) => isRewriting(policy, namespace.labels))
      return asks
        .filter(({ profile }) => own.some((policy) => allows(policy, profile)))
        .map((ask) => ({ namespace: namespace.name, name: templateName(ask.profile), asks: ask }))
    })
    .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1))
}

/** A pod may be pinned to a profile that is not listed. */
function allows({ methods, allowedProfiles, allowPin }: EffectivePolicy, profile: string): boolean {
  const isListed = allowedProfiles === undefined || allowPin || allowedProfiles.includes(profile)
  return isListed && (methods === undefined || methods.includes('dra'))
}

/** One ask a profile: where nodes differ in the class, that of most of them, then the first by name. */
function asksOf(nodes: readonly NodeView[]): readonly ClaimAsk[] {
  const counts = new Map<string, Map<string, number>>()
  for (const node of nodes) {
    for (const { profile, deviceClass } of dra.offers(node)) {
      if (profile === undefined || deviceClass === undefined) continue
      const own = counts.get(profile) ?? new Map<string, number>()
      counts.set(profile, own.set(deviceClass, (own.get(deviceClass) ?? 0) + 1))
    }
  }
  return [...counts].flatMap(([profile, classes]) => {
    const [first] = [...classes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    return first === undefined ? [] : [{ profile, deviceClass: first[0] }]
  })
}

/** What is to be done about templates, each only with those that are ours. */
export interface TemplateSteps {
  readonly apply: readonly WantedTemplate[]
  readonly retire: readonly ClaimTemplate[]
  /** Those that are retired, to be removed once nobody can have them in mind any more. */
  readonly retired: readonly ClaimTemplate[]
  /** Somebody else's, under a name that we would need. */
  readonly foreign: readonly WantedTemplate[]
}

/**
 * How templates get from what they are to what they should be. One that says something else than it should cannot be changed: it
 * has to go first.
 */
export function templateSteps(
  wanted: readonly WantedTemplate[],
  present: readonly ClaimTemplate[],
  manager: string
): TemplateSteps {
  const key = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`
  const wantedByKey = new Map(wanted.map((own) => [key(own), own]))
  const presentByKey = new Map(present.map((own) => [key(own), own]))
  const isOurs = ({ managers }: ClaimTemplate): boolean => managers.includes(manager)
  const isAsWanted = (own: ClaimTemplate): boolean => {
    const asks = wantedByKey.get(key(own))?.asks
    return (
      asks !== undefined && own.asks?.profile === asks.profile && own.asks.deviceClass === asks.deviceClass
    )
  }
  const surplus = present.filter((own) => isOurs(own) && !isAsWanted(own))
  return {
    apply: wanted.filter((own) => {
      const there = presentByKey.get(key(own))
      if (there === undefined) return true
      return isOurs(there) && isAsWanted(there) && (there.retired || !there.labelled)
    }),
    retire: surplus.filter(({ retired }) => !retired),
    retired: surplus.filter(({ retired }) => retired),
    foreign: wanted.filter((own) => {
      const there = presentByKey.get(key(own))
      return there !== undefined && !isOurs(there) && !(isAsWanted(there) && there.labelled)
    })
  }
}
