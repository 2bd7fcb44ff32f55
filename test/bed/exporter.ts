import { type FakeExporter, type PageSeries, startFakeExporter } from '../fakes/fake-exporter.ts'
import { bodyOf } from './api-client.ts'
import type { Bed } from './start-bed.ts'
import { until } from './until.ts'

/** Use of one whole card by the one container that holds it. */
export interface CardUse {
  readonly node: string
  /** Index of the card on its node. */
  readonly index: number
  /** As the driver prints it, such as `NVIDIA H100 80GB HBM3`. */
  readonly modelName: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly usedMiB: number
  /** 0 to 1. */
  readonly busyRatio: number
}

/** Labels of a card's series as the exporter writes them. @source NVIDIA/dcgm-exporter internal/pkg/rendermetrics */
export function cardLabels(card: Omit<CardUse, 'usedMiB' | 'busyRatio'>): Readonly<Record<string, string>> {
  const { node, index, modelName, namespace, pod, container } = card
  return {
    gpu: String(index),
    UUID: `GPU-${node}-${index}`,
    pci_bus_id: `00000000:0${index}:00.0`,
    device: `nvidia${index}`,
    modelName,
    Hostname: node,
    DCGM_FI_DRIVER_VERSION: '580.95.05',
    container,
    namespace,
    pod
  }
}

/** What the exporter's page says of these cards. */
export function cardSeries(cards: readonly CardUse[]): readonly PageSeries[] {
  return cards.flatMap(({ usedMiB, busyRatio, ...card }) => [
    { name: 'DCGM_FI_DEV_FB_USED', labels: cardLabels(card), value: usedMiB },
    { name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', labels: cardLabels(card), value: busyRatio }
  ])
}

/**
 * Starts an exporter for a node, with the pod that stands for it in the cluster, in the namespace `gpu-operator`, which must exist; the
 * simulator runs that pod on 127.0.0.1.
 */
export async function startNodeExporter(bed: Bed, node: string): Promise<FakeExporter> {
  const exporter = await startFakeExporter()
  const path = '/api/v1/namespaces/gpu-operator/pods'
  const name = `nvidia-dcgm-exporter-${node}`
  const containerPort = Number(exporter.address.split(':')[1])
  const container = {
    name: 'nvidia-dcgm-exporter',
    image: 'registry.example/dcgm-exporter:4',
    ports: [{ name: 'metrics', containerPort }]
  }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'nvidia-dcgm-exporter' } },
    spec: { nodeName: node, containers: [container] }
  }
  bodyOf(await bed.request('POST', path, pod), `create pod ${name}`)
  await until(`${name} is ready`, async () => {
    const { body } = await bed.request('GET', `${path}/${name}`)
    return JSON.stringify(body).includes('"podIP":"127.0.0.1"')
  })
  return exporter
}
