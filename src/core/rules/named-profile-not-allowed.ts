import type { Rule } from './rule.ts'
import { showList } from './show.ts'

/** Slices of profiles that no policy of the namespace lists; off unless a policy says more. */
export const namedProfileNotAllowed: Rule = {
  code: 'NamedProfileNotAllowed',
  find: ({ asks, policies }) => {
    const allowed = policies[0]?.allowedProfiles
    if (allowed === undefined) return []
    return asks.flatMap(({ container, name, resource }) => {
      const profile = 'profile' in resource ? resource.profile : undefined
      if (profile === undefined || allowed.includes(profile)) return []
      const wayOut = allowed.length === 0 ? 'use nvidia.com/gpu' : `use one of ${showList(allowed)}`
      return {
        rule: 'NamedProfileNotAllowed',
        container,
        seen: `asks for ${name}, which the policy does not list`,
        wayOut
      }
    })
  }
}
