import { setTimeout as pause } from 'node:timers/promises'
import { bodyOf, MERGE_PATCH } from '../bed/api-client.ts'
import type { GpuNodeSpec } from '../bed/nodes.ts'
import type { Simulator } from '../bed/simulator.ts'
import type { Bed } from '../bed/start-bed.ts'
import { inTurns } from '../e2e/isolation/try-pod.ts'

/** Nodes that change all the time. */
export interface ChurningFleet {
  /** Changes so far: labels that were written, and nodes that went and came again. */
  changes(): number
  stop(): Promise<void>
}

/** Pause between two changes, ms: 200 nodes are all touched within 40 s. */
const CHANGE_EVERY_MS = 200

/** Every so many changes a node goes and comes again; the others write a label. */
const REPLACED_EVERY = 10

function nodeOf(index: number): GpuNodeSpec {
  return {
    name: `churn-${index}`,
    product: 'A100-40',
    layout: { kind: 'mig-mixed', gpus: 2, profiles: { '1g.5gb': 14 } }
  }
}

/** Adds so many nodes, and then changes one after the other until it is stopped. */
export async function startChurn(bed: Bed, simulator: Simulator, nodes: number): Promise<ChurningFleet> {
  await inTurns(
    Array.from({ length: nodes }, (_, index) => nodeOf(index)),
    (node) => simulator.addNode(node)
  )
  const end = new AbortController()
  let changes = 0
  const churn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const node = nodeOf(changes % nodes)
      await (changes % REPLACED_EVERY === 0 ? replace(bed, simulator, node) : relabel(bed, node, changes))
      changes += 1
      await pause(CHANGE_EVERY_MS, undefined, { signal: end.signal }).catch(() => undefined)
    }
  }
  const churning = churn()
  return {
    changes: () => changes,
    stop: async () => {
      end.abort()
      await churning
    }
  }
}

async function relabel(bed: Bed, { name }: GpuNodeSpec, count: number): Promise<void> {
  const patch = { metadata: { labels: { 'nvidia.com/gfd.timestamp': String(count) } } }
  bodyOf(await bed.request('PATCH', `/api/v1/nodes/${name}`, patch, MERGE_PATCH), `label ${name}`)
}

async function replace(bed: Bed, simulator: Simulator, node: GpuNodeSpec): Promise<void> {
  bodyOf(await bed.request('DELETE', `/api/v1/nodes/${node.name}`), `delete ${node.name}`)
  await simulator.addNode(node)
}
