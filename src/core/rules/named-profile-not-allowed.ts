import type { GpuResource } from '../gpu/resource-name.ts'
import { sliceSelectionOf } from './asks.ts'
import type { Rule } from './rule.ts'
import { showList, showText } from './show.ts'

/** Slices of profiles that no policy of the namespace lists; off unless a policy says more. */
export const namedProfileNotAllowed: Rule = {
  code: 'NamedProfileNotAllowed',
  find: ({ asks, pod, policies }) => {
    const allowed = policies[0]?.allowedProfiles
    if (allowed === undefined) return []
    const selected = sliceSelectionOf(pod)
    return asks.flatMap(({ container, name, resource }) => {
      const { profile, by } = profileOf(name, resource, selected)
      if (profile === undefined || allowed.includes(profile)) return []
      const wayOut = allowed.length === 0 ? 'use nvidia.com/gpu' : `use one of ${showList(allowed)}`
      return {
        rule: 'NamedProfileNotAllowed',
        container,
        seen: `asks for ${by}, which the policy does not list`,
        wayOut
      }
    })
  }
}

/** The profile that a container asks for, by the name of its resource or by the nodes that its pod selects. */
function profileOf(
  name: string,
  resource: GpuResource,
  selection: ReturnType<typeof sliceSelectionOf>
): { readonly profile: string | undefined; readonly by: string } {
  if ('profile' in resource) return { profile: resource.profile, by: name }
  const selected = resource.kind === 'whole' ? selection : undefined
  const by = selected === undefined ? name : `${name} with ${showText(selected.label)}`
  return { profile: selected?.profile, by }
}
