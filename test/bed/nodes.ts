import { type GpuLayout, gpuOffer } from './gpu-offer.ts'
import type { GpuProduct } from './gpu-products.ts'

/** A taint of a node. */
type Taint = {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
}

/** What a fake GPU node is made of. */
export type GpuNodeSpec = {
  readonly name: string
  readonly product: GpuProduct
  readonly layout: GpuLayout
  /** Added last, so they may also replace a label of feature discovery. */
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
}

/** The part of a Kubernetes Node that the bed writes. @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
type NodeObject = {
  readonly apiVersion: 'v1'
  readonly kind: 'Node'
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: { readonly taints: readonly Taint[] }
  readonly status: {
    readonly capacity: Readonly<Record<string, string>>
    readonly allocatable: Readonly<Record<string, string>>
    readonly conditions: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
    }[]
  }
}

/**
 * A node as device plugin and feature discovery leave it: labels, capacity, allocatable, condition Ready.
 * @throws Error when the card does not know a profile, or has no MIG
 */
export function gpuNode({ name, product, layout, labels = {}, taints = [] }: GpuNodeSpec): NodeObject {
  const offer = gpuOffer(product, layout)
  const resources = { cpu: '96', memory: '1Ti', 'ephemeral-storage': '3Ti', pods: '110', ...offer.resources }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...hostLabels(name), ...offer.labels, ...labels } },
    spec: { taints },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }]
    }
  }
}

function hostLabels(name: string): Record<string, string> {
  return {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'kubernetes.io/hostname': name,
    'feature.node.kubernetes.io/pci-10de.present': 'true'
  }
}
