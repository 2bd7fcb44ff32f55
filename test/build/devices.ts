import {
  type ClaimAsk,
  type ClaimTemplate,
  templateName
} from '../../src/core/cluster/devices/claim-template.ts'
import { classSetOf } from '../../src/core/cluster/devices/class-set.ts'
import { readDeviceClass } from '../../src/core/cluster/devices/device-class.ts'
import { readDeviceSlice } from '../../src/core/cluster/devices/device-slice.ts'
import { nodeDevicesOf } from '../../src/core/cluster/devices/node-devices.ts'
import type { NodeView } from '../../src/core/cluster/node-view.ts'
import type { JsonRecord } from '../../src/core/json.ts'
import { viewOf } from './input.ts'
import { aNode, type NodeSpec } from './node.ts'

/** One kind of MIG device of a card: where it can be, and what it holds there. */
export interface PartSpec {
  readonly profile: string
  /** First memory slices of its places; one without a place shares nothing with others. */
  readonly starts: readonly number[]
  /** Memory slices that it takes. */
  readonly size: number
  readonly memoryMiB: number
  readonly multiprocessors: number
}

/** Some parts of an H100 with 80 GB, with the places and sizes of its driver. */
export const h100Parts: readonly PartSpec[] = [
  { profile: '1g.10gb', starts: [0, 1, 2, 3, 4, 5, 6], size: 1, memoryMiB: 9984, multiprocessors: 16 },
  { profile: '2g.20gb', starts: [0, 2, 4], size: 2, memoryMiB: 20096, multiprocessors: 32 },
  { profile: '3g.40gb', starts: [0, 4], size: 4, memoryMiB: 40320, multiprocessors: 60 }
]

/** What a test says of the slices of one node. */
export interface SlicesSpec {
  readonly node?: string
  readonly gpus?: number
  readonly parts?: readonly PartSpec[]
  readonly productName?: string
  /** Whether whole GPUs are published beside their parts, and take all of them. */
  readonly whole?: boolean
  readonly generation?: number
  /** Into every MIG device. */
  readonly device?: JsonRecord
}

const MEMORY_SLICES = 8
const MULTIPROCESSORS = 132

/**
 * The ResourceSlices of a node whose cards are cut on demand, as NVIDIA's driver publishes them: counters in one, devices in another.
 */
export function someSlices({ node = 'node-1', gpus = 1, ...spec }: SlicesSpec = {}): readonly JsonRecord[] {
  const numbers = Array.from({ length: gpus }, (_, index) => index)
  const devices = numbers.flatMap((gpu) => devicesOf(gpu, spec))
  const sharedCounters = numbers.map((gpu) => ({ name: `gpu-${gpu}-counters`, counters: allCounters }))
  const pool = { name: node, generation: spec.generation ?? 1, resourceSliceCount: 2 }
  const slice = (name: string, content: JsonRecord): JsonRecord => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `${node}-${name}` },
    spec: { driver: 'gpu.nvidia.com', nodeName: node, pool, ...content }
  })
  return [slice('counters', { sharedCounters }), slice('devices', { devices })]
}

const memorySlices = Array.from({ length: MEMORY_SLICES }, (_, index) => `memory-slice-${index}`)

const allCounters: JsonRecord = {
  multiprocessors: { value: `${MULTIPROCESSORS}` },
  ...Object.fromEntries(memorySlices.map((name) => [name, { value: '1' }]))
}

function devicesOf(gpu: number, spec: SlicesSpec): readonly JsonRecord[] {
  const { parts = h100Parts, productName = 'NVIDIA H100 80GB HBM3', whole = true } = spec
  const uuid = `GPU-${gpu}`
  const common = { productName: { string: productName }, architecture: { string: 'Hopper' } }
  const full = {
    name: `gpu-${gpu}`,
    attributes: { ...common, type: { string: 'gpu' }, uuid: { string: uuid } },
    capacity: { memory: { value: '81559Mi' } },
    consumesCounters: [{ counterSet: `gpu-${gpu}-counters`, counters: allCounters }]
  }
  const slices = parts.flatMap(({ profile, starts, size, memoryMiB, multiprocessors }) =>
    starts.map((start) => ({
      name: `gpu-${gpu}-mig-${profile.replace(/[^a-z0-9]/g, '-')}-${start}`,
      attributes: {
        ...common,
        type: { string: 'mig' },
        profile: { string: profile },
        parentUUID: { string: uuid }
      },
      capacity: { memory: { value: `${memoryMiB}Mi` }, multiprocessors: { value: `${multiprocessors}` } },
      consumesCounters: [
        {
          counterSet: `gpu-${gpu}-counters`,
          counters: {
            multiprocessors: { value: `${multiprocessors}` },
            ...Object.fromEntries(
              memorySlices.slice(start, start + size).map((name) => [name, { value: '1' }])
            )
          }
        }
      ],
      ...spec.device
    }))
  )
  return whole ? [full, ...slices] : slices
}

/** What a test says of a DeviceClass. */
export interface ClassSpec {
  readonly name: string
  /** CEL, each of which a device has to meet. */
  readonly selectors: readonly string[]
  readonly resource?: string
  readonly created?: string
  readonly config?: readonly JsonRecord[]
}

/** A DeviceClass as the API server sends it. */
export function aDeviceClass({ name, selectors, resource, created, config }: ClassSpec): JsonRecord {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name, ...(created === undefined ? {} : { creationTimestamp: created }) },
    spec: {
      selectors: selectors.map((expression) => ({ cel: { expression } })),
      ...(resource === undefined ? {} : { extendedResourceName: resource }),
      ...(config === undefined ? {} : { config })
    }
  }
}

const attributes = `device.attributes['gpu.nvidia.com']`

/** The classes that NVIDIA's driver comes with, and that an administrator makes for one profile. */
export const someClasses = {
  gpu: {
    name: 'gpu.nvidia.com',
    selectors: [`device.driver == 'gpu.nvidia.com' && ${attributes}.type == 'gpu'`],
    resource: 'nvidia.com/gpu'
  },
  mig: {
    name: 'mig.nvidia.com',
    selectors: [`device.driver == 'gpu.nvidia.com' && ${attributes}.type == 'mig'`]
  },
  small: {
    name: 'mig-1g-10gb',
    selectors: [
      `device.driver == 'gpu.nvidia.com'`,
      `${attributes}.type == 'mig' && ${attributes}.profile == '1g.10gb'`
    ],
    resource: 'nvidia.com/mig-1g.10gb'
  }
} as const satisfies Record<string, ClassSpec>

/** The view of a node without a device plugin, joined with what a driver publishes for it. */
export function aDeviceView(
  { node = 'node-1', ...spec }: SlicesSpec = {},
  {
    classes = Object.values(someClasses),
    ...raw
  }: NodeSpec & { readonly classes?: readonly ClassSpec[] } = {}
): NodeView {
  const view = viewOf(aNode({ name: node, ...raw }))
  const known = classSetOf(classes.flatMap((own) => readDeviceClass(aDeviceClass(own)) ?? []))
  const slices = someSlices({ node, ...spec }).flatMap((own) => readDeviceSlice(own) ?? [])
  const devices = nodeDevicesOf(slices, known)
  return devices === undefined ? view : { ...view, devices }
}

/** The template of ours that a claim is made from, as it is mirrored. */
export function aClaimTemplate(
  change: Partial<ClaimTemplate> & { readonly asks?: ClaimAsk } = {}
): ClaimTemplate {
  const { asks = { profile: '2g.20gb', deviceClass: 'mig.nvidia.com' } } = change
  return {
    namespace: 'team-a',
    name: templateName(asks.profile),
    labelled: true,
    retired: false,
    managers: ['rightslice-controller'],
    ...change,
    asks
  }
}
