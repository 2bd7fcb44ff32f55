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

type Listener = (changes: readonly ObjectChange<NodeView>[]) => void

/** Nodes with what drivers publish for them. A change costs as much as there are nodes that it is about. */
export class JoinedNodes implements ObjectStore<NodeView> {
  readonly #from: JoinedFrom
  readonly #shared = new SharedValues<NodeDevices>(JSON.stringify)
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
        this.#rejoin([...this.#slices.keys()])
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
    this.#rejoin([...new Set(changes.flatMap(bothOf).map(({ node }) => node))])
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

  #rejoin(names: readonly string[]): void {
    const changes = names.flatMap((name) => {
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
    const devices = nodeDevicesOf([...slices], this.#classes)
    return devices === undefined ? node : { ...node, devices: this.#shared.of(devices) }
  }
}

function bothOf<T>({ before, after }: ObjectChange<T>): readonly T[] {
  return [before, after].filter((value) => value !== undefined)
}
