import type { NodeView, Taint } from '../cluster/node-view.ts'
import { hasLabels, type Placement, selectorObstacle, toleratesTaint } from '../cluster/reach.ts'
import { gkePoolLabel } from './gke-labels.ts'
import type { Offer, SharingMethod } from './method.ts'
import { shareKeys, sharingMethods } from './methods.ts'
import { nodeLabels } from './node-labels.ts'

/** Nodes that a decision cannot tell apart: same offers, taints and labels but for individual ones. */
export interface NodeClass {
  /** At least one, ordered by name. */
  readonly nodes: readonly [NodeView, ...NodeView[]]
  /** Counts are those of one node. */
  readonly offers: readonly Offer[]
}

/** Usable nodes in classes, so that a decision looks at a few classes and not at thousands of nodes. */
export interface NodeIndex {
  readonly classes: readonly NodeClass[]
  /** Label keys with so many values that they would make every node a class of its own. */
  readonly individualKeys: ReadonlySet<string>
  readonly nodeCount: number
}

/** A label with more values than this is individual: `kubernetes.io/hostname` is, a pool or zone is not. */
const MOST_SHARED_VALUES = 16

/** Labels that decisions read by themselves, so that they tell classes apart however many values they have. */
const decisiveKeys: ReadonlySet<string> = new Set([...Object.values(nodeLabels), ...shareKeys, gkePoolLabel])

/** Groups the usable nodes. The answer does not depend on the order of `nodes`. */
export function indexNodes(
  nodes: readonly NodeView[],
  methods: readonly SharingMethod[] = sharingMethods
): NodeIndex {
  const usable = nodes.filter((node) => node.usable).sort((a, b) => (a.name < b.name ? -1 : 1))
  const individualKeys = findIndividualKeys(usable)
  const groups = new Map<string, { nodes: [NodeView, ...NodeView[]]; offers: readonly Offer[] }>()
  for (const node of usable) {
    const offers = methods.flatMap((method) => method.offers(node))
    const key = classKey(node, individualKeys, offers)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { nodes: [node], offers })
    else group.nodes.push(node)
  }
  return { classes: [...groups.values()], individualKeys, nodeCount: nodes.length }
}

function findIndividualKeys(nodes: readonly NodeView[]): ReadonlySet<string> {
  const values = new Map<string, Set<string>>()
  for (const node of nodes) {
    for (const key of Object.keys(node.labels)) {
      const seen = values.get(key) ?? new Set()
      values.set(key, seen)
      if (seen.size <= MOST_SHARED_VALUES) seen.add(node.labels[key] ?? '')
    }
  }
  const individual = [...values].filter(
    ([key, seen]) => seen.size > MOST_SHARED_VALUES && !decisiveKeys.has(key)
  )
  return new Set(individual.map(([key]) => key))
}

function classKey(node: NodeView, individualKeys: ReadonlySet<string>, offers: readonly Offer[]): string {
  const labels = Object.keys(node.labels)
    .filter((key) => !individualKeys.has(key))
    .sort()
    .map((key) => [key, node.labels[key]])
  const taints = node.taints.map(({ key, value, effect }) => [key, value, effect])
  return JSON.stringify([labels, taints, Object.entries(node.allocatable), node.devices, node.hami, offers])
}

/** By index: lists of classes that pods could reach, by which classes they are. Most pods are let onto the same few sets of nodes. */
const reached = new WeakMap<NodeIndex, Map<string, readonly NodeClass[]>>()

/**
 * The classes with those of their nodes that the pod can be placed on; classes without one are left out. Where a taint keeps the pod away
 * that a share tolerates, or that the policy names, only offers are left by which the pod would be made to tolerate it.
 * Where whole classes are reached, the same classes are the same list, so that what follows from them can be kept with it.
 * @param named keys of taints that the policy lets pods with shares tolerate
 */
export function reachableClasses(
  index: NodeIndex,
  pod: Placement,
  named: readonly string[] = []
): readonly NodeClass[] {
  const within = index.classes.map((nodeClass) => withinTaints(nodeClass, pod, named))
  if (looksAtSingleNodes(index, pod)) {
    return within.flatMap((nodeClass) =>
      nodeClass === undefined ? [] : narrow(nodeClass, (node) => selectorObstacle(pod, node) === undefined)
    )
  }
  const list = within.map((nodeClass) =>
    nodeClass === undefined || selectorObstacle(pod, nodeClass.nodes[0]) !== undefined ? undefined : nodeClass
  )
  return sameList(index, list)
}

/** The list of the classes that are left; where these are whole classes, the same ones are the same list. */
function sameList(index: NodeIndex, found: readonly (NodeClass | undefined)[]): readonly NodeClass[] {
  const list = found.filter((nodeClass) => nodeClass !== undefined)
  if (found.some((nodeClass, place) => nodeClass !== undefined && nodeClass !== index.classes[place]))
    return list
  const which = found.map((nodeClass) => (nodeClass === undefined ? '0' : '1')).join('')
  const known = listsOf(index)
  const same = known.get(which) ?? list
  if (known.size < MOST_LISTS) known.set(which, same)
  return same
}

/** Lists that are kept for one index; a class is reached or not, so there could be very many. */
const MOST_LISTS = 256

function listsOf(index: NodeIndex): Map<string, readonly NodeClass[]> {
  const known = reached.get(index) ?? new Map<string, readonly NodeClass[]>()
  reached.set(index, known)
  return known
}

function withinTaints(
  nodeClass: NodeClass,
  { tolerations }: Placement,
  named: readonly string[]
): NodeClass | undefined {
  const untolerated = nodeClass.nodes[0].taints.filter((taint) => !toleratesTaint(tolerations, taint))
  if (untolerated.length === 0) return nodeClass
  const byName = untolerated.filter(({ key }) => named.includes(key))
  const offers = nodeClass.offers.flatMap((offer) => {
    const tolerates = [...(offer.tolerates ?? []), ...byName]
    return untolerated.every((taint) => tolerates.some((own) => isSameTaint(own, taint)))
      ? [{ ...offer, tolerates }]
      : []
  })
  return offers.length === 0 ? undefined : { nodes: nodeClass.nodes, offers }
}

/** Whether two taints keep away the same pods. */
export function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.value === b.value && a.effect === b.effect
}

/** The classes with those of their nodes that carry every label of `selector`. */
export function selectedClasses(
  index: Pick<NodeIndex, 'individualKeys'>,
  classes: readonly NodeClass[],
  selector: Readonly<Record<string, string>>
): readonly NodeClass[] {
  if (!Object.keys(selector).some((key) => index.individualKeys.has(key))) {
    return classes.filter(({ nodes }) => hasLabels(nodes[0], selector))
  }
  return classes.flatMap((nodeClass) => narrow(nodeClass, (node) => hasLabels(node, selector)))
}

function narrow(nodeClass: NodeClass, keep: (node: NodeView) => boolean): NodeClass[] {
  const [first, ...rest] = nodeClass.nodes.filter(keep)
  return first === undefined ? [] : [{ nodes: [first, ...rest], offers: nodeClass.offers }]
}

function looksAtSingleNodes(index: NodeIndex, pod: Placement): boolean {
  const keys = index.individualKeys
  if (Object.keys(pod.nodeSelector).some((key) => keys.has(key))) return true
  return (pod.nodeTerms ?? []).some(
    (term) => term.fields.length > 0 || term.expressions.some((requirement) => keys.has(requirement.key))
  )
}
