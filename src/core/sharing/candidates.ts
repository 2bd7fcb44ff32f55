import { servedKey } from '../cluster/devices/node-devices.ts'
import { servesName } from '../cluster/node-view.ts'
import { hasLabels } from '../cluster/reach.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { gkePoolLabel } from './gke-labels.ts'
import type { Offer } from './method.ts'
import { shareKeys } from './methods.ts'
import { isSameTaint, type NodeClass } from './node-index.ts'
import { nodeLabels } from './node-labels.ts'

/** One way in which a container could be served, over all nodes that would serve it. */
export interface Candidate extends Omit<Offer, 'count'> {
  /** Classes of nodes that offer it. */
  readonly where: readonly NodeClass[]
  /** Allocatable over all of them. */
  readonly count: number
  /** How many of it the containers of one pod may ask for at one time; absent: as many as a node has. */
  readonly atMost?: number
}

/**
 * What the classes offer, grouped by how a pod would ask for it. The scheduler may pick any node that serves the
 * request, so memory and compute of a candidate are the lowest of its nodes, and unknown where one is unknown.
 * Where a resource means something else on a node that the pod can reach, a label keeps the pod from there, or there is
 * no candidate.
 * @returns in a fixed order: resource, method, requirements; after each one its variants by product
 */
export function candidatesOf(classes: readonly NodeClass[]): readonly Candidate[] {
  const known = found.get(classes)
  if (known !== undefined) return known
  const candidates = findCandidates(classes)
  found.set(classes, candidates)
  return candidates
}

/** By list of classes: it stays the same as long as the nodes do, and pods come much more often. */
const found = new WeakMap<readonly NodeClass[], readonly Candidate[]>()

function findCandidates(classes: readonly NodeClass[]): readonly Candidate[] {
  const groups = new Map<string, Candidate>()
  for (const nodeClass of classes) {
    for (const offer of nodeClass.offers) addTo(groups, nodeClass, offer)
  }
  const all = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candidate]) => candidate)
  const varied = all.flatMap((candidate) => [candidate, ...byProduct(candidate)])
  return varied.flatMap((candidate) => clearOf(candidate, classes))
}

function addTo(groups: Map<string, Candidate>, nodeClass: NodeClass, offer: Offer): void {
  const key = `${askKey(offer)} ${offer.method} ${requirementsKey(offer.requires)}`
  const known = groups.get(key)
  const count = offer.count * nodeClass.nodes.length
  if (known === undefined) {
    groups.set(key, { ...offer, count, where: [nodeClass] })
    return
  }
  const size = offer.toMeasure === true ? highest : lowest
  groups.set(key, {
    ...known,
    usableMiB: size(known.usableMiB, offer.usableMiB),
    computeRatio: lowest(known.computeRatio, offer.computeRatio),
    replicas: Math.max(known.replicas, offer.replicas),
    count: known.count + count,
    ...mergedTaints(known, offer),
    where: [...known.where, nodeClass]
  })
}

/** Taints of nodes that make one offer: tolerating all of them lets the pod onto every one of these nodes. */
function mergedTaints(known: Candidate, { tolerates = [] }: Offer): Pick<Candidate, 'tolerates'> {
  const before = known.tolerates ?? []
  const others = tolerates.filter((taint) => !before.some((other) => isSameTaint(other, taint)))
  return others.length === 0 ? {} : { tolerates: [...before, ...others] }
}

/** What a pod says to get a share, as one text. */
function askKey({ resource, deviceClass }: Pick<Offer, 'resource' | 'deviceClass'>): string {
  return servedKey(resource, deviceClass)
}

function lowest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b)
}

/** What is cut to measure is looked for by its size, so the largest GPU counts. */
function highest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}

/** Requirements as text, for keys and comparisons. */
export function requirementsKey(requires: Readonly<Record<string, string>>): string {
  return Object.keys(requires)
    .sort()
    .map((key) => `${key}=${requires[key]}`)
    .join(',')
}

/**
 * The candidate if asking for it can bring the pod nothing else; with one label more where that keeps it from every node
 * that has the resource and means something else by it (another method's share, a left-over, a layout in the making); and
 * nothing where no label does.
 */
function clearOf(candidate: Candidate, classes: readonly NodeClass[]): Candidate[] {
  const strangers = classes.filter((nodeClass) => isStranger(nodeClass, candidate))
  if (strangers.length === 0) return [candidate]
  const key = separatorsFor(candidate.resource).find((label) => separates(label, candidate.where, strangers))
  const value = key === undefined ? undefined : candidate.where[0]?.nodes[0].labels[key]
  if (key === undefined || value === undefined) return []
  return [{ ...candidate, requires: { ...candidate.requires, [key]: value } }]
}

function isStranger(nodeClass: NodeClass, candidate: Candidate): boolean {
  const { requires, where } = candidate
  const [node] = nodeClass.nodes
  return servesName(node, askKey(candidate)) && hasLabels(node, requires) && !where.includes(nodeClass)
}

/** Labels that may tell nodes apart that have a resource of one name, the plainest first. */
function separatorsFor(resource: string): readonly string[] {
  const { migConfigState, sharingStrategy, product } = nodeLabels
  const own = sliceLabels.map((label) => `${resource}.${label}`)
  return [migConfigState, sharingStrategy, ...own, product, gkePoolLabel]
}

const sliceLabels = ['sharing-strategy', 'replicas', 'memory'] as const

/**
 * Whether a label of this key may be one that was added to a node selector and that changes, by being there, what else a pod is told to
 * select, or how many nodes the pod reaches.
 */
export function mayBeRequired(key: string): boolean {
  if (separatorsFor(WHOLE_GPU).includes(key) || shareKeys.has(key)) return true
  return key.startsWith('nvidia.com/mig-') && sliceLabels.some((label) => key.endsWith(`.${label}`))
}

/** Whether all the nodes that are wanted have one value of the label, and none of the others has it. */
function separates(key: string, wanted: readonly NodeClass[], others: readonly NodeClass[]): boolean {
  const value = wanted[0]?.nodes[0].labels[key]
  return (
    value !== undefined &&
    wanted.every(({ nodes: [node] }) => node.labels[key] === value) &&
    others.every(({ nodes: [node] }) => node.labels[key] !== value)
  )
}

/**
 * Replicas differ in size with the model behind them. Where they do, each model is a candidate of its own too, which
 * the pod asks for by the product label. MIG slices of one name differ so little that this would only narrow the choice.
 */
function byProduct(candidate: Candidate): readonly Candidate[] {
  if (candidate.replicas === 1 || candidate.toMeasure === true) return []
  const products = new Map<string, NodeClass[]>()
  for (const nodeClass of candidate.where) {
    const product = nodeClass.nodes[0].labels[nodeLabels.product]
    if (product !== undefined) products.set(product, [...(products.get(product) ?? []), nodeClass])
  }
  if (products.size < 2) return []
  return [...products.keys()]
    .sort()
    .flatMap((product) => narrowed(candidate, product, products.get(product) ?? []))
}

function narrowed(candidate: Candidate, product: string, classes: readonly NodeClass[]): Candidate[] {
  const groups = new Map<string, Candidate>()
  for (const nodeClass of classes) {
    for (const offer of nodeClass.offers) {
      if (isSameAsk(offer, candidate)) addTo(groups, nodeClass, offer)
    }
  }
  return [...groups.values()].map((group) => ({
    ...group,
    requires: { ...group.requires, [nodeLabels.product]: product }
  }))
}

function isSameAsk(offer: Offer, candidate: Candidate): boolean {
  return (
    offer.method === candidate.method &&
    askKey(offer) === askKey(candidate) &&
    requirementsKey(offer.requires) === requirementsKey(candidate.requires)
  )
}
