import { askPatterns, celAsks } from './asks.ts'
import { celContainers } from './cel-check.ts'
import type { Rule } from './rule.ts'

const wayOut = 'ask for 1, or for nvidia.com/gpu'
const several = `string(c.resources.limits[k]) != '1'`

/** More than one replica of a shared GPU gives no more of it, and plugins let such pods fail. */
export const moreThanOneReplica: Rule = {
  code: 'MoreThanOneReplica',
  cel: {
    offenders: `!variables.isNew ? [] : ${celContainers(
      `${celAsks(askPatterns.replica, several)} || (variables.selectsShared && ${celAsks(askPatterns.ours, several)})`
    )}`,
    wayOut
  },
  find: ({ asks }) =>
    asks.flatMap(({ container, name, resource, count, shared }) =>
      shared && resource.kind !== 'foreign' && count !== undefined && count > 1
        ? {
            rule: 'MoreThanOneReplica',
            container,
            seen: `asks for ${count} of ${name}; each is one turn on the same GPU, not more of it`,
            wayOut
          }
        : []
    )
}
