import { WHOLE_GPU } from '../pod/gpu-request.ts'
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
  const resource = countedIn(candidate)
  const free = freeOf({ ...candidate, resource }, capacity)
  return {
    offered: candidate.count,
    bound: Math.max(0, candidate.count - free),
    waiting: capacity.waiting({ ...candidate, resource })
  }
}

/** A part that is cut to measure takes one of the places on GPUs, however large it is. */
function countedIn({ resource, toMeasure }: Pick<Candidate, 'resource' | 'toMeasure'>): string {
  return toMeasure === true ? WHOLE_GPU : resource
}

function freeOf({ where, resource }: Pick<Candidate, 'where' | 'resource'>, capacity: Capacity): number {
  return where.reduce((sum, nodeClass) => sum + capacity.free(nodeClass, resource), 0)
}

/** What a pod that asks for a candidate needs of it. */
export interface Wish {
  /** Canonical names of profiles that scaling up brings; they are never taken. */
  readonly promised: readonly string[]
  /** Matters where the candidate is cut to measure, MiB. */
  readonly neededMiB: number
}

/** Whether a pod that asks for the candidate now finds one. */
export function hasFree(candidate: Candidate, capacity: Capacity, { promised, neededMiB }: Wish): boolean {
  if (candidate.profile !== undefined && promised.includes(candidate.profile)) return true
  const { offered, bound, waiting } = fillOf(candidate, capacity)
  if (offered - bound - waiting <= 0) return false
  return candidate.toMeasure !== true || hasMemory(candidate, capacity, neededMiB)
}

/** On one node, and besides what others wait for. How it lies on the GPUs of the node, their scheduler alone knows. */
function hasMemory(candidate: Candidate, capacity: Capacity, neededMiB: number): boolean {
  const { where, resource } = candidate
  const fitsOne = where.some((nodeClass) => capacity.mostFreeOnOne(nodeClass, resource) >= neededMiB)
  return fitsOne && freeOf(candidate, capacity) - capacity.waiting(candidate) >= neededMiB
}
