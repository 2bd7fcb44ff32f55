import type { NodeView } from '../core/cluster/node-view.ts'
import { WHOLE_GPU } from '../core/pod/gpu-request.ts'
import type { Capacity } from '../core/sharing/capacity.ts'
import type { NodeClass, NodeIndex } from '../core/sharing/node-index.ts'
import type { GpuDemand } from './gpu-demand.ts'
import type { RecentAnswers } from './recent-answers.ts'

/** What is free on the nodes of one class, by resource. */
interface Room {
  readonly nodeClass: NodeClass
  /** Filled when somebody asks, kept up from then on. */
  readonly free: Map<string, number>
}

/**
 * What is free of what nodes offer: a sum for each class of nodes, kept up pod by pod, so that a decision among 5,000 nodes looks at a few
 * numbers. A pod that selects single nodes has them looked at one by one.
 */
export class NodeCapacity implements Capacity {
  readonly #demand: GpuDemand
  readonly #answers: RecentAnswers
  readonly #endListening: () => void
  /** By the list of their nodes, which a class has in common with what is left of it when only its offers are narrowed. */
  #rooms = new Map<readonly NodeView[], Room>()
  #roomOfNode = new Map<string, Room>()

  constructor(demand: GpuDemand, answers: RecentAnswers) {
    this.#demand = demand
    this.#answers = answers
    this.#endListening = demand.onChange((node, resource, before, after) =>
      this.#moved(node, resource, before, after)
    )
  }

  /** Takes up other classes of nodes. */
  useIndex({ classes }: NodeIndex): void {
    const rooms = classes.map((nodeClass) => ({ nodeClass, free: new Map<string, number>() }))
    this.#rooms = new Map(rooms.map((room) => [room.nodeClass.nodes, room]))
    this.#roomOfNode = new Map(
      rooms.flatMap((room) => room.nodeClass.nodes.map(({ name }) => [name, room] as const))
    )
  }

  free(nodeClass: NodeClass, resource: string): number {
    const room = this.#rooms.get(nodeClass.nodes)
    if (room === undefined) return this.#freeOnAll(nodeClass, resource)
    const known = room.free.get(resource) ?? this.#freeOnAll(room.nodeClass, resource)
    room.free.set(resource, known)
    return known
  }

  mostFreeOnOne(nodeClass: NodeClass, resource: string): number {
    const offered = offeredOn(nodeClass, resource)
    return nodeClass.nodes.reduce(
      (most, { name }) => Math.max(most, this.#freeOn(name, resource, offered)),
      0
    )
  }

  /** A name that whole GPUs have too says nothing of who waits for the share; our label does. */
  waiting({ resource, share }: { readonly resource: string; readonly share: string }): number {
    if (resource === WHOLE_GPU) return this.#demand.waitingFor(share) + this.#answers.ofShare(share)
    return this.#demand.askedFor('', resource) + this.#answers.ofResource(resource)
  }

  /** Ends keeping up. */
  close(): void {
    this.#endListening()
  }

  #freeOnAll(nodeClass: NodeClass, resource: string): number {
    const offered = offeredOn(nodeClass, resource)
    return nodeClass.nodes.reduce((sum, { name }) => sum + this.#freeOn(name, resource, offered), 0)
  }

  #freeOn(node: string, resource: string, offered: number): number {
    return Math.max(0, offered - this.#demand.askedFor(node, resource))
  }

  #moved(node: string, resource: string, before: number, after: number): void {
    const room = this.#roomOfNode.get(node)
    const known = room?.free.get(resource)
    if (room === undefined || known === undefined) return
    const offered = offeredOn(room.nodeClass, resource)
    const freeBefore = Math.max(0, offered - before)
    const freeAfter = Math.max(0, offered - after)
    room.free.set(resource, known + freeAfter - freeBefore)
  }
}

/**
 * How many each node of the class offers: what its shares say, which a claim's device is not in allocatable for. Of what is cut to measure
 * it is the memory, as pods ask for it.
 */
function offeredOn({ nodes, offers }: NodeClass, resource: string): number {
  const offer = offers.find((one) => one.resource === resource)
  return offer?.totalMiB ?? offer?.count ?? nodes[0].allocatable[resource] ?? 0
}
