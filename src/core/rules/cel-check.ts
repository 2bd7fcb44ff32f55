import { celList } from '../api/cel.ts'

/**
 * A rule as the API server can check it by itself, in its expression language. It refuses nothing that the rule lets pass;
 * what it cannot tell, it lets pass.
 */
export interface CelCheck {
  /** The names of what breaks the rule, a list of texts, by the variables of the admission policy. */
  readonly offenders: string
  /** What to do instead. */
  readonly wayOut: string
}

/** The pod itself, where no container is to be blamed. */
export const celThePod = `['the pod']`

/** What breaks a rule when `condition` holds for a new pod; what comes later cannot change that. */
export function celPod(condition: string): string {
  return `variables.isNew && (${condition}) ? ${celThePod} : []`
}

/** Containers `c` for which `condition` holds. */
export function celContainers(condition: string): string {
  return `variables.containers.filter(c, ${condition}).map(c, c.name)`
}

/**
 * Containers with an entry `e` of the environment whose name is among `names` and whose content is offensive: a field of the
 * pod, or a text for which `isOffensive` holds. What is put together from other variables is left to the webhook.
 */
export function celVariables(names: Iterable<string>, isOffensive: string): string {
  const text = `e.?value.orValue('')`
  const content = `has(e.valueFrom) ? (has(e.valueFrom.fieldRef) || has(e.valueFrom.resourceFieldRef)) : (!${text}.contains('$') && (${isOffensive}))`
  return `variables.marked.filter(c, c.env.exists(e, e.name in ${celList(names)} && (${content}))).map(c, c.name)`
}
