import type { SuggestSight } from '../check/suggest/choosable-shares.ts'
import { suggestKueue } from '../check/suggest/suggest-kueue.ts'
import { suggestQuotas } from '../check/suggest/suggest-quota.ts'
import { indexNodes } from '../core/sharing/node-index.ts'
import type { ClusterStores } from '../gather/cluster-state.ts'
import { objectYaml } from '../install/object-yaml.ts'
import type { TextSink } from './convert.ts'
import { manifestYaml } from './manifest.ts'

/** What suggestions are about. */
export type Suggested = 'quota' | 'kueue'

const comments: Readonly<Record<Suggested, string>> = {
  quota:
    'Quotas for the shares that policies may choose, where whole GPUs are limited. Each name is worth all GPUs of its quota: lower what is too much.',
  kueue:
    "Transformations for Kueue's own configuration, and a queue in their units: merge both into yours. The queue takes nobody before it has a namespaceSelector."
}

const nothing: Readonly<Record<Suggested, string>> = {
  quota: '# Nothing to add: no share that a policy may choose escapes a quota on whole GPUs.\n',
  kueue: '# Nothing to add: no policy may choose a share with a name of its own.\n'
}

/** Prints what an admin should add, as YAML that can be applied once it was read. */
export function runSuggest(what: Suggested, stores: ClusterStores, stdout: TextSink): void {
  const sight: SuggestSight = {
    nodes: indexNodes(stores.nodes.list()),
    policies: stores.policies.list(),
    namespaces: stores.namespaces.list(),
    quotas: stores.quotas.list()
  }
  const objects = what === 'quota' ? suggestQuotas(sight) : suggestKueue(sight, objectYaml)
  stdout.write(objects.length === 0 ? nothing[what] : manifestYaml(comments[what], objects))
}
