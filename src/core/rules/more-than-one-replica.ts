import type { Rule } from './rule.ts'

/** More than one replica of a shared GPU gives no more of it, and plugins let such pods fail. */
export const moreThanOneReplica: Rule = {
  code: 'MoreThanOneReplica',
  find: ({ asks }) =>
    asks.flatMap(({ container, name, resource, count, shared }) =>
      shared && resource.kind !== 'foreign' && count !== undefined && count > 1
        ? {
            rule: 'MoreThanOneReplica',
            container,
            seen: `asks for ${count} of ${name}; each is one turn on the same GPU, not more of it`,
            wayOut: 'ask for 1, or for nvidia.com/gpu'
          }
        : []
    )
}
