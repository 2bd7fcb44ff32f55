import { bodyOf, MERGE_PATCH, STRATEGIC_PATCH } from './api-client.ts'
import { type GpuLayout, gpuOffer } from './gpu-offer.ts'
import {
  type Ending,
  endedStatus,
  hasEnded,
  nextStep,
  type Pod,
  PodSchema,
  runningStatus
} from './kubelet.ts'
import { type GpuNodeSpec, gpuNode } from './nodes.ts'
import { feedPods } from './pod-feed.ts'
import type { Bed } from './start-bed.ts'
import { until } from './until.ts'

/** How the simulated kubelets behave. */
export type SimulatorOptions = {
  /** Whether the pods of Jobs succeed by themselves as soon as they run; default true. */
  readonly finishJobs?: boolean
}

/** Plays kubelet, device plugin and feature discovery for fake nodes. */
export type Simulator = {
  /** Creates the node and waits until the scheduler may use it. */
  readonly addNode: (spec: GpuNodeSpec) => Promise<void>
  /** Cuts the cards of a node anew: labels and allocatable change, resources that are gone stay listed with 0. */
  readonly setLayout: (name: string, layout: GpuLayout) => Promise<void>
  /** Ends all containers of a pod that will not be restarted. @throws Error when there is no such pod */
  readonly finishPod: (namespace: string, name: string, ending: Ending) => Promise<void>
  /** What went wrong in the background so far; a test expects none. */
  readonly faults: readonly unknown[]
  readonly stop: () => Promise<void>
}

/** Exit code of a container that ended on SIGTERM. */
const TERMINATED: Ending = { exitCode: 143 }

/** Starts playing; pods bound to nodes that others made are left alone. */
export function startSimulator(bed: Bed, { finishJobs = true }: SimulatorOptions = {}): Simulator {
  const nodes = new Map<string, GpuNodeSpec>()
  const faults: unknown[] = []
  const kubelet = makeKubelet(bed)
  const stopping = new AbortController()
  const onPod = async (pod: Pod): Promise<void> => {
    if (!nodes.has(pod.spec.nodeName ?? '')) return
    await kubelet.act(pod, finishJobs).catch((fault: unknown) => faults.push(fault))
  }
  const onFault = (fault: unknown): void => void faults.push(fault)
  const feed = feedPods(bed, { onPod, onGone: kubelet.forget, onFault }, stopping.signal)
  return {
    addNode: async (spec) => {
      nodes.set(spec.name, spec)
      await createNode(bed, spec)
    },
    setLayout: async (name, layout) => {
      const old = nodes.get(name)
      if (old === undefined) throw new Error(`the simulator has no node ${name}`)
      await changeLayout(bed, old, layout)
      nodes.set(name, { ...old, layout })
    },
    finishPod: async (namespace, name, ending) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}`
      const pod = PodSchema.parse(bodyOf(await bed.request('GET', path), `get pod ${namespace}/${name}`))
      await kubelet.end(pod, ending)
    },
    faults,
    stop: async () => {
      stopping.abort()
      await feed
    }
  }
}

type Kubelet = {
  readonly act: (pod: Pod, finishJobs: boolean) => Promise<void>
  readonly end: (pod: Pod, ending: Ending) => Promise<void>
  readonly forget: (pod: Pod) => void
}

/** Remembers what it did, because a pod's older state may still be on its way when the newer one is written. */
function makeKubelet(bed: Bed): Kubelet {
  const started = new Set<string>()
  const ended = new Set<string>()
  const patchStatus = async (pod: Pod, status: object): Promise<void> => {
    const path = `${pathOf(pod)}/status`
    ignoreGone(await bed.request('PATCH', path, { status }, STRATEGIC_PATCH), `set status at ${path}`)
  }
  const run = async (pod: Pod): Promise<void> => {
    if (started.has(pod.metadata.uid)) return
    started.add(pod.metadata.uid)
    await patchStatus(pod, runningStatus(pod, new Date().toISOString()))
  }
  const end = async (pod: Pod, ending: Ending): Promise<void> => {
    if (ended.has(pod.metadata.uid) || hasEnded(pod)) return
    started.add(pod.metadata.uid)
    ended.add(pod.metadata.uid)
    await patchStatus(pod, endedStatus(pod, ending, new Date().toISOString()))
  }
  const terminate = async (pod: Pod): Promise<void> => {
    await end(pod, TERMINATED)
    const options = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } }
    ignoreGone(await bed.request('DELETE', pathOf(pod), options), `delete ${pathOf(pod)}`)
  }
  return {
    end,
    act: async (pod, finishJobs) => {
      const step = nextStep(pod, finishJobs)
      if (step === 'run') await run(pod)
      if (step === 'succeed') await end(pod, { exitCode: 0 })
      if (step === 'terminate') await terminate(pod)
    },
    forget: ({ metadata }) => {
      started.delete(metadata.uid)
      ended.delete(metadata.uid)
    }
  }
}

function pathOf({ metadata }: Pod): string {
  return `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`
}

/** The pod may be gone, or another one may have its name (409), by the time that we write. */
function ignoreGone(answer: { readonly status: number; readonly body: unknown }, what: string): void {
  if (answer.status !== 404 && answer.status !== 409) bodyOf(answer, what)
}

async function createNode(bed: Bed, spec: GpuNodeSpec): Promise<void> {
  const path = `/api/v1/nodes/${spec.name}`
  const { status, ...node } = gpuNode(spec)
  bodyOf(await bed.request('POST', '/api/v1/nodes', node), `create node ${spec.name}`)
  bodyOf(await bed.request('PATCH', `${path}/status`, { status }, MERGE_PATCH), `set status of ${spec.name}`)
  if (!bed.hasControllerManager) {
    bodyOf(await bed.request('PATCH', path, { spec: node.spec }, MERGE_PATCH), `untaint ${spec.name}`)
  }
  await until(`node ${spec.name} usable`, async () => {
    const seen = bodyOf(await bed.request('GET', path), `get node ${spec.name}`)
    return !JSON.stringify(seen).includes('node.kubernetes.io/not-ready')
  })
}

async function changeLayout(
  bed: Bed,
  { name, product, layout, labels = {} }: GpuNodeSpec,
  next: GpuLayout
): Promise<void> {
  const old = gpuOffer(product, layout)
  const offer = gpuOffer(product, next)
  const path = `/api/v1/nodes/${name}`
  const resources = { ...valuesFor(old.resources, '0'), ...offer.resources }
  const status = { capacity: resources, allocatable: resources }
  bodyOf(await bed.request('PATCH', `${path}/status`, { status }, MERGE_PATCH), `set resources of ${name}`)
  const metadata = { labels: { ...valuesFor(old.labels, null), ...offer.labels, ...labels } }
  bodyOf(await bed.request('PATCH', path, { metadata }, MERGE_PATCH), `set labels of ${name}`)
}

function valuesFor<T>(keys: Readonly<Record<string, string>>, value: T): Record<string, T> {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, value]))
}
