import { type ClassSet, classSetOf } from '../../core/cluster/devices/class-set.ts'
import type { DeviceClass } from '../../core/cluster/devices/device-class.ts'
import type { DeviceSlice } from '../../core/cluster/devices/device-slice.ts'
import { type NodeDevices, nodeDevicesOf } from '../../core/cluster/devices/node-devices.ts'
import type { NodeView } from '../../core/cluster/node-view.ts'
import type { ObjectChange, ObjectStore, StoreState } from '../../ports/object-store.ts'
import { SharedValues } from '../shared-values.ts'

/** What nodes are joined from. */
export interface JoinedFrom {
  readonly nodes: ObjectStore<NodeView>
  readonly deviceSlices: ObjectStore<DeviceSlice>
  readonly deviceClasses: ObjectStore<DeviceClass>
}

/** Shapes after which all are forgotten, so that generations which come and go do not take memory for ever. */
const MOST_SHAPES = 10_000

type Listener = (changes: readonly ObjectChange<NodeView>[]) => void

/** Nodes with what drivers publish for them. A change costs as much as there are nodes that it is about. */
export class JoinedNodes implements ObjectStore<NodeView> {
  readonly #from: JoinedFrom
  readonly #shared = new SharedValues<NodeDevices>(JSON.stringify)
  /** What slices of a shape come to with the classes as they are: thousands of nodes have a few shapes. */
  readonly #byShape = new Map<string, NodeDevices | undefined>()
  readonly #numbers = new WeakMap<object, number>()
  #lastNumber = 0
  readonly #endListening: readonly (() => void)[]
  readonly #slices = new Map<string, Set<DeviceSlice>>()
  readonly #nodes = new Map<string, NodeView>()
  #classes: ClassSet
  #listeners: readonly Listener[] = []
  #listed: readonly NodeView[] | undefined
  #version = 0

  constructor(from: JoinedFrom) {
    this.#from = from
    this.#classes = classSetOf(from.deviceClasses.list())
    for (const slice of from.deviceSlices.list()) this.#keep(slice)
    this.#rejoin(from.nodes.list().map(({ name }) => name))
    this.#endListening = [
      from.nodes.onChange((changes) => this.#rejoin(changes.flatMap(bothOf).map(({ name }) => name))),
      from.deviceSlices.onChange((changes) => this.#takeSlices(changes)),
      from.deviceClasses.onChange(() => {
        this.#classes = classSetOf(from.deviceClasses.list())
        this.#byShape.clear()
        this.#rejoin(this.#slices.keys())
      })
    ]
  }

  get(_namespace: string, name: string): NodeView | undefined {
    return this.#nodes.get(name)
  }

  list(): readonly NodeView[] {
    this.#listed ??= Object.freeze([...this.#nodes.values()])
    return this.#listed
  }

  version(): number {
    return this.#version
  }

  /** That of the nodes; what drivers publish has states of its own. */
  state(): StoreState {
    return this.#from.nodes.state()
  }

  onChange(listener: Listener): () => void {
    const call: Listener = (changes) => listener(changes) // a name of its own: the same function may listen twice
    this.#listeners = [...this.#listeners, call]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== call)
    }
  }

  /** Ends keeping up. */
  close(): void {
    for (const end of this.#endListening) end()
  }

  #takeSlices(changes: readonly ObjectChange<DeviceSlice>[]): void {
    for (const { before, after } of changes) {
      if (before !== undefined) this.#forget(before)
      if (after !== undefined) this.#keep(after)
    }
    this.#rejoin(changes.flatMap(bothOf).map(({ node }) => node))
  }

  #keep(slice: DeviceSlice): void {
    const own = this.#slices.get(slice.node) ?? new Set()
    this.#slices.set(slice.node, own.add(slice))
  }

  #forget(slice: DeviceSlice): void {
    const own = this.#slices.get(slice.node)
    own?.delete(slice)
    if (own?.size === 0) this.#slices.delete(slice.node)
  }

  /** Joins the nodes of these names anew, each once. */
  #rejoin(names: Iterable<string>): void {
    const changes = [...new Set(names)].flatMap((name) => {
      const before = this.#nodes.get(name)
      const after = this.#join(name)
      if (after === undefined) this.#nodes.delete(name)
      else this.#nodes.set(name, after)
      return before === after ? [] : [{ before, after }]
    })
    if (changes.length === 0) return
    this.#version += 1
    this.#listed = undefined
    for (const call of this.#listeners) call(changes)
  }

  #join(name: string): NodeView | undefined {
    const node = this.#from.nodes.get('', name)
    const slices = this.#slices.get(name)
    if (node === undefined || slices === undefined) return node
    const devices = this.#devicesOf([...slices])
    return devices === undefined ? node : { ...node, devices }
  }

  #devicesOf(slices: readonly DeviceSlice[]): NodeDevices | undefined {
    const shape = this.#shapeOf(slices)
    if (this.#byShape.has(shape)) return this.#byShape.get(shape)
    const found = nodeDevicesOf(slices, this.#classes)
    const devices = found === undefined ? undefined : this.#shared.of(found)
    if (this.#byShape.size >= MOST_SHAPES) this.#byShape.clear()
    this.#byShape.set(shape, devices)
    return devices
  }

  /** All that `nodeDevicesOf` looks at; what the reader keeps in memory once goes by a number. */
  #shapeOf(slices: readonly DeviceSlice[]): string {
    const sorted = slices.toSorted(byPoolAndName)
    const pools = [...new Set(sorted.map(({ pool }) => pool))]
    return JSON.stringify(
      sorted.map(({ pool, generation, sliceCount, counters, devices }) => [
        pools.indexOf(pool),
        generation,
        sliceCount,
        this.#numberOf(counters),
        this.#numberOf(devices)
      ])
    )
  }

  #numberOf(value: object): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    this.#lastNumber += 1
    this.#numbers.set(value, this.#lastNumber)
    return this.#lastNumber
  }
}

function byPoolAndName(a: DeviceSlice, b: DeviceSlice): number {
  if (a.pool === b.pool) return a.name < b.name ? -1 : 1
  return a.pool < b.pool ? -1 : 1
}

function bothOf<T>({ before, after }: ObjectChange<T>): readonly T[] {
  return [before, after].filter((value) => value !== undefined)
}
