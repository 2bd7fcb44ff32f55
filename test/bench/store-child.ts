import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { commonMirrors, type MirrorMeans, startReading } from '../../src/compose/cluster-reader.ts'
import { readGpuPods } from '../../src/compose/gpu-pods.ts'
import { loadConfig } from '../../src/config/load.ts'
import { toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'
import { readExemption } from '../../src/core/policy/exemption.ts'
import { readGpuWorkload } from '../../src/core/usage/read-gpu-workload.ts'
import { connectCluster } from '../../src/kube/connection.ts'
import { runWebhook } from '../../src/main.ts'
import type { ObjectStore } from '../../src/ports/object-store.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

/** Bytes of the heap that one object of a kind takes, its place in the store included. */
export interface KindCost {
  readonly kind: string
  readonly objects: number
  readonly bytesEach: number
}

/** What the event loop and the memory of the whole webhook were like since the last `reset`. */
export interface ProcessState {
  /** 99th percentile of the event loop's delay. */
  readonly p99Ms: number
  /** CPU of the longest turn of the event loop; 0 where nobody asked to look. */
  readonly longestTurnMs: number
  readonly rssMiB: number
  readonly peakMiB: number
}

/** Difference between two looks at the heap that is none, bytes. */
const SETTLED_BYTES = 16 * 1024

/** What is left once the rests of the last list are gone. */
async function settledHeapBytes(): Promise<number> {
  let bytes = Number.POSITIVE_INFINITY
  for (let n = 0; n < 20; n += 1) {
    await delay(300)
    globalThis.gc?.()
    const before = bytes
    bytes = process.memoryUsage().heapUsed
    if (Math.abs(before - bytes) < SETTLED_BYTES) break
  }
  return bytes
}

const projections = { policy: toEffectivePolicy, workload: readGpuWorkload, exemption: readExemption }

/** Reads nodes, then namespaces, and forgets them: what a list leaves behind goes with the next one, and counts for no kind. */
async function warmUp(means: MirrorMeans): Promise<void> {
  const { nodes, namespaces } = commonMirrors(means, projections)
  for (const store of [nodes, namespaces]) {
    const reader = startReading({ store })
    await reader.whenSynced(new AbortController().signal)
    await reader.stop()
    await settledHeapBytes()
  }
}

/** Reads one kind after the other, and looks at the heap in between. */
async function measureKinds(kubeconfig: string): Promise<readonly KindCost[]> {
  const connection = await connectCluster({ kubeconfig })
  const means = { connection, log: new MemoryLog() }
  const signal = new AbortController().signal
  await warmUp(means)
  const { nodes, namespaces, workloads, replicaSets } = commonMirrors(means, projections)
  const costs: KindCost[] = []
  for (const [kind, store] of Object.entries({
    namespaces,
    workloads,
    replicaSets,
    nodes
  })) {
    const before = await settledHeapBytes()
    await startReading({ store }).whenSynced(signal)
    costs.push(costOf(kind, (await settledHeapBytes()) - before, store))
  }
  const before = await settledHeapBytes()
  const pods = readGpuPods(means)
  while (!pods.store.state().synced) await delay(50)
  // What the warm-up leaves goes while the first kind is read, so that one says nothing.
  return [...costs.slice(1), costOf('pods with GPUs', (await settledHeapBytes()) - before, pods.store)]
}

function costOf(kind: string, bytes: number, store: ObjectStore<unknown>): KindCost {
  const objects = store.list().length
  return { kind, objects, bytesEach: bytes / objects }
}

/** Longest work of the event loop in one turn, CPU, ms: what else the machine does is not in it. */
class LongestTurn {
  #lastMicros = 0
  #longestMs = 0
  #ended = false

  start(): void {
    this.#longestMs = 0
    this.#ended = false
    this.#lastMicros = cpuMicros()
    this.#turn()
  }

  end(): number {
    this.#ended = true
    return this.#longestMs
  }

  #turn(): void {
    const nowMicros = cpuMicros()
    this.#longestMs = Math.max(this.#longestMs, (nowMicros - this.#lastMicros) / 1000)
    this.#lastMicros = nowMicros
    if (!this.#ended) setImmediate(() => this.#turn())
  }
}

function cpuMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Runs the webhook as it is deployed, and tells of its state on demand. */
async function runWhole(): Promise<never> {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  const turns = new LongestTurn()
  process.on('message', (wish) => {
    const longestTurnMs = turns.end()
    if (wish === 'reset') {
      monitor.reset()
      turns.start()
    }
    const state: ProcessState = {
      p99Ms: monitor.percentile(99) / 1e6 - 1,
      longestTurnMs,
      rssMiB: process.memoryUsage.rss() / 2 ** 20,
      peakMiB: process.resourceUsage().maxRSS / 1024
    }
    process.send?.(state)
  })
  void once(process, 'disconnect').then(() => process.exit(0))
  await runWebhook(await loadConfig())
  process.exit(0)
}

const [, , what, kubeconfig = ''] = process.argv
if (what === 'whole') await runWhole()
process.send?.(await measureKinds(kubeconfig))
process.disconnect()
process.exit(0)
