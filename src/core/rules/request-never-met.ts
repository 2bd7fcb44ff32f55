import { servesName } from '../cluster/node-view.ts'
import type { Rule } from './rule.ts'

/** Shares that no usable node has; off by default, because scaling up may bring one. Of a pod that runs it has been met. */
export const requestNeverMet: Rule = {
  code: 'RequestNeverMet',
  find: ({ asks, nodes, policies, occasion }) => {
    if (nodes.nodeCount === 0 || occasion === 'running') return []
    const coming = new Set(policies.flatMap(({ provisionable }) => provisionable))
    return asks.flatMap(({ container, name, resource }) => {
      const isShare = resource.kind === 'mig' || resource.kind === 'shared'
      const isComing = 'profile' in resource && coming.has(resource.profile)
      const isThere = nodes.classes.some(({ nodes: [node] }) => servesName(node, name))
      return !isShare || isComing || isThere
        ? []
        : {
            rule: 'RequestNeverMet',
            container,
            seen: `asks for ${name}, which no ready node has`,
            wayOut: 'ask for a share that nodes have: kubectl describe nodes'
          }
    })
  }
}
