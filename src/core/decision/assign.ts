import type { ContainerView } from '../pod/pod-view.ts'
import type { Candidate } from '../sharing/candidates.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { verdictOf } from './fit.ts'
import type { Need } from './need.ts'

/** The candidate that one container is to get. */
export interface Assignment {
  readonly container: ContainerView
  readonly candidate: Candidate
}

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
 * @source Kubernetes: pod total per resource name = max(containers + sidecars, each init container + sidecars before it)
 */
export function assignShares(
  demands: readonly Demand[],
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  const apps = demands.filter(({ container }) => container.role === 'app')
  const sidecars = demands.filter(({ container }) => container.role === 'sidecar')
  const inits = demands.filter(({ container }) => container.role === 'init')
  const leader = inits.length === 0 ? undefined : largestOf(apps.length === 0 ? inits : apps)
  if (leader === undefined) return assignAll([...apps, ...sidecars], candidates)
  const beside = [...apps, ...sidecars].filter(({ container }) => container !== leader.container)
  const chosen = assignAll([raised(leader, inits), ...beside], candidates)
  const leading = chosen?.find(({ container }) => container === leader.container)
  if (chosen === undefined || leading === undefined) return undefined
  const followers = inits.filter(({ container }) => container !== leader.container)
  return [...chosen, ...followers.map(({ container }) => ({ container, candidate: leading.candidate }))]
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
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  return demands.length > 1 ? assignTogether(demands, candidates) : assignOne(demands, candidates)
}

function assignOne(
  demands: readonly Demand[],
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  const demand = demands[0]
  if (demand === undefined) return undefined
  const candidate = candidates.find((option) => verdictOf(option, demand) === 'fits')
  return candidate === undefined ? undefined : [{ container: demand.container, candidate }]
}

/** Several containers at one time: the class of nodes on which they take the least memory in all. */
function assignTogether(
  demands: readonly Demand[],
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  const classes = new Set(candidates.flatMap(({ where }) => where))
  let best: { readonly memoryMiB: number; readonly assignments: readonly Assignment[] } | undefined
  for (const nodeClass of classes) {
    const assignments = assignOn(nodeClass, demands, candidates)
    if (assignments === undefined) continue
    const memoryMiB = assignments.reduce((sum, { candidate }) => sum + (candidate.usableMiB ?? 0), 0)
    if (best === undefined || memoryMiB < best.memoryMiB) best = { memoryMiB, assignments }
  }
  return best?.assignments
}

function assignOn(
  nodeClass: NodeClass,
  demands: readonly Demand[],
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  const offered = candidates.filter(({ where }) => where.includes(nodeClass))
  const taken = new Map<string, number>()
  const assignments: Assignment[] = []
  for (const demand of demands) {
    const candidate = offered.find(
      (option) =>
        verdictOf(option, demand) === 'fits' &&
        (taken.get(option.resource) ?? 0) < allocatable(nodeClass, option.resource)
    )
    if (candidate === undefined) return undefined
    taken.set(candidate.resource, (taken.get(candidate.resource) ?? 0) + 1)
    assignments.push({ container: demand.container, candidate })
  }
  return assignments
}

function allocatable({ nodes }: NodeClass, resource: string): number {
  return nodes[0].allocatable[resource] ?? 0
}
