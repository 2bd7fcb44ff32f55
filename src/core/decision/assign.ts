import type { ContainerView } from '../pod/pod-view.ts'
import type { Candidate } from '../sharing/candidates.ts'
import { methodNamed } from '../sharing/methods.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { verdictOf } from './fit.ts'
import type { Need } from './need.ts'

/** The candidate that one container is to get. */
export interface Assignment {
  readonly container: ContainerView
  readonly candidate: Candidate
  /** What the share has to hold: the container's own demand, or that of all who run in it one after the other. */
  readonly demand: Demand
  /** The container whose share it runs in, before that one starts; absent: it has one of its own. */
  readonly inShareOf?: ContainerView
}

/** How many of a resource one node of a class has left for a pod, at most. */
export type Left = (nodeClass: NodeClass, resource: string) => number

/** What one container asks of a share. */
export type Demand = Pick<Need, 'container' | 'neededMiB' | 'neededCompute'>

/** The demand of a container that takes a share of whatever size. */
export function anySize(container: ContainerView): Demand {
  return { container, neededMiB: 0, neededCompute: undefined }
}

/**
 * A candidate for every container, all of them on one node; undefined when no node can serve all.
 * A plain init container runs before the containers and hands its device on to them, but only within one resource
 * name: it gets the resource of the largest of them, which must hold both. A sidecar keeps its device while init
 * containers run, so without any container to follow, the init containers count as one more beside the sidecars.
 * @param candidates in order of preference
 * @param left what a node has for several containers at one time; default: all that is allocatable
 * @source Kubernetes: pod total per resource name = max(containers + sidecars, each init container + sidecars before it)
 */
export function assignShares(
  demands: readonly Demand[],
  candidates: readonly Candidate[],
  left: Left = allocatable
): readonly Assignment[] | undefined {
  const apps = demands.filter(({ container }) => container.role === 'app')
  const sidecars = demands.filter(({ container }) => container.role === 'sidecar')
  const inits = demands.filter(({ container }) => container.role === 'init')
  const leader = inits.length === 0 ? undefined : largestOf(apps.length === 0 ? inits : apps)
  if (leader === undefined) return assignAll([...apps, ...sidecars], candidates, left)
  const beside = [...apps, ...sidecars].filter(({ container }) => container !== leader.container)
  const chosen = assignAll([raised(leader, inits), ...beside], candidates, left)
  const leading = chosen?.find(({ container }) => container === leader.container)
  if (chosen === undefined || leading === undefined) return undefined
  const followers = inits.filter(({ container }) => container !== leader.container)
  const { candidate, demand } = leading
  return [
    ...chosen,
    ...followers.map(({ container }) => ({ container, candidate, demand, inShareOf: leader.container }))
  ]
}

function largestOf(demands: readonly Demand[]): Demand | undefined {
  return demands.reduce<Demand | undefined>(
    (best, demand) => (best === undefined || demand.neededMiB > best.neededMiB ? demand : best),
    undefined
  )
}

/** The demand, raised to what others need that run in the same share at other times. */
function raised(demand: Demand, others: readonly Demand[]): Demand {
  const all = [demand, ...others]
  return {
    container: demand.container,
    neededMiB: all.reduce((most, { neededMiB }) => Math.max(most, neededMiB), 0),
    neededCompute: highestKnown(all.map(({ neededCompute }) => neededCompute))
  }
}

function highestKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.max(a, b))
}

/** Shares for containers that run at one time. */
function assignAll(
  demands: readonly Demand[],
  candidates: readonly Candidate[],
  left: Left
): readonly Assignment[] | undefined {
  return demands.length > 1 ? assignTogether(demands, candidates, left) : assignOne(demands, candidates)
}

function assignOne(
  demands: readonly Demand[],
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  const demand = demands[0]
  if (demand === undefined) return undefined
  const candidate = candidates.find((option) => verdictOf(option, demand) === 'fits')
  return candidate === undefined ? undefined : [{ container: demand.container, candidate, demand }]
}

/**
 * Several containers at one time: of all ways to serve them on one node, the one that takes the least memory. The order of
 * the containers does not matter.
 */
function assignTogether(
  demands: readonly Demand[],
  candidates: readonly Candidate[],
  left: Left
): readonly Assignment[] | undefined {
  const sorted = [...demands].sort(largestFirst)
  const classes = new Set(candidates.flatMap(({ where }) => where))
  let best: Plan | undefined
  for (const nodeClass of classes) {
    const offered = candidates.filter(({ where }) => where.includes(nodeClass))
    const found = new NodeSearch({ nodeClass, offered, left }, best).search(sorted)
    if (found !== undefined) best = found
  }
  if (best === undefined) return undefined
  const byContainer = new Map(best.assignments.map((assignment) => [assignment.container, assignment]))
  return demands.flatMap(({ container }) => byContainer.get(container) ?? [])
}

function largestFirst(a: Demand, b: Demand): number {
  const compute = ({ neededCompute = 0 }: Demand): number => neededCompute
  return (
    b.neededMiB - a.neededMiB || compute(b) - compute(a) || (a.container.name < b.container.name ? -1 : 1)
  )
}

interface Plan {
  readonly memoryMiB: number
  readonly assignments: readonly Assignment[]
}

/** Steps after which a search takes what it has: a dozen containers with ten candidates each have too many ways to try them all. */
const MOST_STEPS = 2000

/** What is offered on the nodes of one class, and how much of it one of them has left. */
interface Room {
  readonly nodeClass: NodeClass
  readonly offered: readonly Candidate[]
  readonly left: Left
}

/** Looks for the way with the least memory on one node; only what is better than `best` counts. */
class NodeSearch {
  readonly #room: Room
  #best: Plan | undefined
  #found: Plan | undefined
  #steps = 0

  constructor(room: Room, best: Plan | undefined) {
    this.#room = room
    this.#best = best
  }

  search(demands: readonly Demand[]): Plan | undefined {
    this.#step(demands, { memoryMiB: 0, assignments: [] })
    return this.#found
  }

  #step([demand, ...others]: readonly Demand[], plan: Plan): void {
    this.#steps += 1
    if (this.#steps > MOST_STEPS || (this.#best !== undefined && plan.memoryMiB >= this.#best.memoryMiB))
      return
    if (demand === undefined) {
      this.#best = plan
      this.#found = plan
      return
    }
    for (const candidate of this.#room.offered) {
      if (verdictOf(candidate, demand) !== 'fits' || !this.#hasLeft(candidate, plan)) continue
      const assignment = { container: demand.container, candidate, demand }
      const memoryMiB = plan.memoryMiB + (candidate.usableMiB ?? 0)
      this.#step(others, { memoryMiB, assignments: [...plan.assignments, assignment] })
    }
  }

  #hasLeft(candidate: Candidate, { assignments }: Plan): boolean {
    const { resource, method, atMost = Number.MAX_SAFE_INTEGER } = candidate
    const holds = methodNamed(method).holds
    if (holds !== undefined) {
      const own = assignments.flatMap((taken) => (taken.candidate.method === method ? taken.candidate : []))
      return holds(this.#room.nodeClass.nodes[0], [...own, candidate])
    }
    const taken = assignments.filter(({ candidate }) => candidate.resource === resource).length
    return taken < Math.min(atMost, this.#room.left(this.#room.nodeClass, resource))
  }
}

function allocatable({ nodes }: NodeClass, resource: string): number {
  return nodes[0].allocatable[resource] ?? 0
}
