import { namespaceLabels } from '../api/names.ts'
import { printGpuResourceName } from '../gpu/resource-name.ts'
import { askPatterns, celAsks, fractionMarkOf, type GpuAsk, sharedSelectionOf } from './asks.ts'
import { celContainers, celPod } from './cel-check.ts'
import type { Breach, Rule, RuleContext } from './rule.ts'
import { showList, showName, showText } from './show.ts'

/**
 * Shared GPUs only where the namespace is `shared-ok` and a policy lists it. A namespace without any policy is judged by
 * its label alone.
 */
export const sharedGpuNotAllowedHere: Rule = {
  code: 'SharedGpuNotAllowedHere',
  cel: {
    offenders: `variables.isSharedOk || !variables.isNew ? [] : ${celContainers(
      `${celAsks(askPatterns.shared)} || (variables.selectsShared && ${celAsks(askPatterns.ours)})`
    )} + (${celPod('variables.hasFraction')})`,
    wayOut: 'use nvidia.com/gpu or a MIG slice'
  },
  find: (context) => {
    const obstacle = sharingObstacle(context)
    if (obstacle === undefined) return []
    const asked = context.asks.filter((ask) => ask.shared && !isHamiByPolicy(ask, context))
    const hasWhole = asked.some(({ resource }) => resource.kind === 'whole')
    const selection = hasWhole ? sharedSelectionOf(context.pod) : undefined
    const told = (asks: readonly GpuAsk[]): Told => tell(asks, context, { obstacle, selection })
    return [...byContainer(asked, told), ...fraction(context, obstacle)]
  }
}

function sharingObstacle({ namespace, policies }: RuleContext): string | undefined {
  const { name, labels } = namespace
  if (labels[namespaceLabels.isolation] !== 'shared-ok')
    return `namespace ${showText(name)} has isolation=hardware`
  const lists = policies.flatMap(({ timeSlicing, mps }) => [
    ...(timeSlicing?.namespaces ?? []),
    ...(mps?.namespaces ?? [])
  ])
  return policies.length === 0 || lists.includes(name)
    ? undefined
    : `no policy lists namespace ${showText(name)} under timeSlicing or mps`
}

/** HAMi's own resources are allowed in a shared-ok namespace by naming the method. */
function isHamiByPolicy({ resource }: GpuAsk, { namespace, policies }: RuleContext): boolean {
  return (
    resource.kind === 'foreign' &&
    namespace.labels[namespaceLabels.isolation] === 'shared-ok' &&
    policies.some(({ methods }) => methods?.includes('hami') === true)
  )
}

function tell(
  asks: readonly GpuAsk[],
  { policies }: RuleContext,
  { obstacle, selection }: { readonly obstacle: string; readonly selection: string | undefined }
): Told {
  const isSelected = selection !== undefined && asks.some(({ resource }) => resource.kind === 'whole')
  const names = showList([
    ...asks.map(({ name }) => showName(name)),
    ...(isSelected ? [showText(selection)] : [])
  ])
  const profiles = policies[0]?.allowedProfiles ?? []
  const slices =
    profiles.length === 0
      ? 'a MIG slice'
      : `one of ${showList(profiles.map((profile) => printGpuResourceName({ kind: 'mig', profile })))}`
  return { seen: `asks for ${names}, but ${obstacle}`, wayOut: `use nvidia.com/gpu or ${slices}` }
}

function fraction({ security }: RuleContext, obstacle: string): readonly Breach[] {
  const mark = fractionMarkOf(security)
  if (mark === undefined) return []
  const seen = `asks for a part of a GPU by ${mark}, but ${obstacle}`
  return [{ rule: 'SharedGpuNotAllowedHere', container: undefined, seen, wayOut: 'use nvidia.com/gpu' }]
}

type Told = Pick<Breach, 'seen' | 'wayOut'>

function byContainer(asks: readonly GpuAsk[], tellAll: (asks: readonly GpuAsk[]) => Told): readonly Breach[] {
  return [...Map.groupBy(asks, ({ container }) => container)].map(([container, own]) => ({
    rule: 'SharedGpuNotAllowedHere',
    container,
    ...tellAll(own)
  }))
}
