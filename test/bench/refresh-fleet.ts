import type { JsonRecord } from '../../src/core/json.ts'
import type { PastMetric } from '../bed/prometheus-past.ts'
import { aWholeNode } from '../build/node.ts'
import { aPod } from '../build/pod.ts'

const NAMESPACES = 50

/** GPUs of a node. */
const GPUS = 8

/** One in this many pods shares its GPU with the one before it. */
const SHARED_EVERY = 10

/** How many nodes a fleet has: every workload has one pod on one GPU. */
export function nodeCount(workloads: number): number {
  return Math.ceil(workloads / GPUS)
}

function gpuOf(index: number): number {
  return index % SHARED_EVERY === 1 ? index - 1 : index
}

function cardLabels(index: number): Readonly<Record<string, string>> {
  const gpu = gpuOf(index)
  return {
    gpu: String(gpu % GPUS),
    UUID: `GPU-${gpu.toString(16).padStart(8, '0')}-0000-4000-8000-00000000abcd`,
    device: `nvidia${gpu % GPUS}`,
    modelName: 'NVIDIA H100 80GB HBM3',
    Hostname: nodeName(gpu)
  }
}

function nodeName(gpu: number): string {
  return `gpu-node-${Math.floor(gpu / GPUS)}`
}

function podName(index: number): string {
  return `workload-${index}-7c9d8f6b5d-x2k4p`
}

function memoryMiB(index: number, hour: number): number {
  return 2000 + ((index * 7919) % 60_000) + ((hour * 37) % 500)
}

function busyRatio(index: number, hour: number): number {
  return ((index * 31 + hour) % 100) / 100
}

/** What Prometheus has stored of the fleet, with the labels of a scrape that renames. */
export function past(workloads: number): readonly PastMetric[] {
  const labelsOf = (index: number): Readonly<Record<string, string>> => ({
    ...cardLabels(index),
    namespace: 'gpu-operator',
    pod: `nvidia-dcgm-exporter-${Math.floor(gpuOf(index) / GPUS)}`,
    container: 'nvidia-dcgm-exporter',
    exported_namespace: `team-${index % NAMESPACES}`,
    exported_pod: podName(index),
    exported_container: 'main'
  })
  const series = (at: (index: number, hour: number) => number): PastMetric['series'] =>
    Array.from({ length: workloads }, (_, index) => ({
      labels: labelsOf(index),
      at: (timeMs) => at(index, Math.floor(timeMs / 3_600_000))
    }))
  return [
    { name: 'DCGM_FI_DEV_FB_USED', series: series(memoryMiB) },
    { name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', series: series(busyRatio) }
  ]
}

/** The page of the exporter of one node. */
export function exporterPage(node: number, workloads: number, hour: number): string {
  const lines: string[] = []
  for (let index = node * GPUS; index < Math.min(workloads, (node + 1) * GPUS); index += 1) {
    const labels = {
      ...cardLabels(index),
      namespace: `team-${index % NAMESPACES}`,
      pod: podName(index),
      container: 'main'
    }
    const text = Object.entries(labels)
      .map(([name, value]) => `${name}="${value}"`)
      .join(',')
    lines.push(`DCGM_FI_DEV_FB_USED{${text}} ${memoryMiB(index, hour)}`)
    lines.push(`DCGM_FI_PROF_GR_ENGINE_ACTIVE{${text}} ${busyRatio(index, hour)}`)
  }
  return `${lines.join('\n')}\n`
}

/** The pods of the fleet, as the API server gives them; all started at one time. */
export function* rawPods(workloads: number, startMs: number): Generator<JsonRecord> {
  const bornAt = new Date(startMs).toISOString()
  for (let index = 0; index < workloads; index += 1) {
    const pod = aPod({
      name: podName(index),
      namespace: `team-${index % NAMESPACES}`,
      nodeName: nodeName(gpuOf(index)),
      labels: { 'pod-template-hash': '7c9d8f6b5d' },
      owner: {
        kind: 'ReplicaSet',
        name: `workload-${index}-7c9d8f6b5d`,
        apiVersion: 'apps/v1',
        uid: `rs-${index}`
      }
    })
    const metadata = { ...Object(pod['metadata']), uid: `uid-${index}`, creationTimestamp: bornAt }
    yield { ...pod, metadata, status: { phase: 'Running', startTime: bornAt } }
  }
}

/** The nodes of the fleet. */
export function rawNodes(workloads: number): readonly JsonRecord[] {
  return Array.from({ length: nodeCount(workloads) }, (_, index) =>
    aWholeNode({ name: `gpu-node-${index}`, product: 'NVIDIA-H100-80GB-HBM3', gpus: GPUS })
  )
}
