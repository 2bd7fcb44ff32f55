import type { Candidate } from './candidates.ts'
import type { NodeClass } from './node-index.ts'

/** What is taken of what nodes offer, as it is known at the moment of a decision. */
export interface Capacity {
  /** Free of the resource on all nodes of the class together. */
  free(nodeClass: NodeClass, resource: string): number
  /** The most that one node of the class has free of the resource. */
  mostFreeOnOne(nodeClass: NodeClass, resource: string): number
  /** Asked for by pods that no node has yet, and by answers to pods that are not known yet. */
  waiting(candidate: Pick<Candidate, 'resource' | 'share'>): number
}

/** How many of a share there are, and where they have gone. */
export interface Fill {
  /** On all nodes that the pod can reach. */
  readonly offered: number
  /** Asked for by pods on these nodes. */
  readonly bound: number
  /** Asked for, and on no node yet. */
  readonly waiting: number
}

/** How many there are of a candidate, and where they have gone. */
export function fillOf(candidate: Candidate, capacity: Capacity): Fill {
  const free = candidate.where.reduce(
    (sum, nodeClass) => sum + capacity.free(nodeClass, candidate.resource),
    0
  )
  return {
    offered: candidate.count,
    bound: Math.max(0, candidate.count - free),
    waiting: capacity.waiting(candidate)
  }
}

/**
 * Whether a pod that asks for the candidate now finds one. What scaling up brings is never taken.
 * @param promised canonical names of profiles that scaling up brings
 */
export function hasFree(candidate: Candidate, capacity: Capacity, promised: readonly string[]): boolean {
  if (candidate.profile !== undefined && promised.includes(candidate.profile)) return true
  const { offered, bound, waiting } = fillOf(candidate, capacity)
  return offered - bound - waiting > 0
}
