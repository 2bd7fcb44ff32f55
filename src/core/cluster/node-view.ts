import { quantityToCount } from '../api/quantity.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { fieldAt, fieldOf, isRecord, listOf, stringMapOf, stringOf } from '../json.ts'
import type { NodeDevices } from './devices/node-devices.ts'
import { type HamiDevices, readHamiDevices } from './hami-register.ts'

/** A taint that keeps pods away. */
export interface Taint {
  readonly key: string
  readonly value: string
  readonly effect: string
}

/** The part of a Node that decisions read. @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
export interface NodeView {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Only those that keep pods from being placed or running: `NoSchedule` and `NoExecute`. */
  readonly taints: readonly Taint[]
  /** Allocatable count by GPU resource name; other resources are left out. */
  readonly allocatable: Readonly<Record<string, number>>
  /** Ready and not cordoned. */
  readonly usable: boolean
  /** What HAMi has registered on it; absent where it has nothing. */
  readonly hami?: HamiDevices
  /** What drivers publish for it in ResourceSlices; absent where they publish nothing, or nothing is known of it. */
  readonly devices?: NodeDevices
}

/** Whether a pod on the node may be given something by this name, by a device plugin or by a driver. */
export function servesName(
  { allocatable, devices }: Pick<NodeView, 'allocatable' | 'devices'>,
  name: string
): boolean {
  return (allocatable[name] ?? 0) > 0 || devices?.served.includes(name) === true
}

/** Reads a node; undefined when it has no name. Never throws. */
export function readNode(raw: unknown): NodeView | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  if (name === undefined) return undefined
  const hami = readHamiDevices(metadata)
  return {
    name,
    labels: stringMapOf(metadata, 'labels'),
    taints: readTaints(fieldOf(raw, 'spec')),
    allocatable: readAllocatable(fieldAt(raw, 'status', 'allocatable')),
    usable: isReady(raw) && fieldAt(raw, 'spec', 'unschedulable') !== true,
    ...(hami === undefined ? {} : { hami })
  }
}

function isReady(raw: unknown): boolean {
  return listOf(fieldOf(raw, 'status'), 'conditions').some(
    (condition) => fieldOf(condition, 'type') === 'Ready' && fieldOf(condition, 'status') === 'True'
  )
}

function readTaints(spec: unknown): readonly Taint[] {
  return listOf(spec, 'taints').flatMap((raw) => {
    const key = stringOf(raw, 'key')
    const effect = stringOf(raw, 'effect')
    if (key === undefined || (effect !== 'NoSchedule' && effect !== 'NoExecute')) return []
    return { key, value: stringOf(raw, 'value') ?? '', effect }
  })
}

function readAllocatable(raw: unknown): Readonly<Record<string, number>> {
  const counts: Record<string, number> = Object.create(null)
  if (!isRecord(raw)) return counts
  for (const name of Object.keys(raw).sort()) {
    if (parseGpuResourceName(name) === undefined) continue
    const count = quantityToCount(raw[name])
    if (count !== undefined) counts[name] = count
  }
  return counts
}
