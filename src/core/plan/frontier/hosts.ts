import type { PlanPod, PlanState } from '../plan-state.ts'
import type { Seat } from '../target.ts'

/** What nodes have left of CPU and memory once the pods that leave have left. */
export class Hosts {
  readonly #free: Map<string, { cpuMilli: number; memoryMiB: number }>

  private constructor(free: Map<string, { cpuMilli: number; memoryMiB: number }>) {
    this.#free = free
  }

  /** @param leaving by id: pods that leave, with their seats */
  static of({ nodes, pods }: PlanState, leaving: ReadonlyMap<string, Seat>): Hosts {
    const hosts = new Hosts(
      new Map(
        nodes.map(({ id, freeCpuMilli = Infinity, freeMemoryMiB = Infinity }) => [
          id,
          { cpuMilli: freeCpuMilli, memoryMiB: freeMemoryMiB }
        ])
      )
    )
    for (const pod of pods) {
      const seat = leaving.get(pod.id)
      if (seat !== undefined) hosts.#change(seat.node, pod, 1)
    }
    return hosts
  }

  copy(): Hosts {
    return new Hosts(new Map([...this.#free].map(([id, free]) => [id, { ...free }])))
  }

  hasRoom(node: string, { cpuMilli = 0, memoryMiB = 0 }: PlanPod): boolean {
    const free = this.#free.get(node)
    return free !== undefined && free.cpuMilli >= cpuMilli && free.memoryMiB >= memoryMiB
  }

  take(node: string, pod: PlanPod): void {
    this.#change(node, pod, -1)
  }

  #change(node: string, { cpuMilli = 0, memoryMiB = 0 }: PlanPod, sign: 1 | -1): void {
    const free = this.#free.get(node)
    if (free === undefined) return
    free.cpuMilli += sign * cpuMilli
    free.memoryMiB += sign * memoryMiB
  }
}
