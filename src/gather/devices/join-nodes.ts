import { classSetOf } from '../../core/cluster/devices/class-set.ts'
import type { DeviceClass } from '../../core/cluster/devices/device-class.ts'
import type { DeviceSlice } from '../../core/cluster/devices/device-slice.ts'
import { nodeDevicesOf } from '../../core/cluster/devices/node-devices.ts'
import type { NodeView } from '../../core/cluster/node-view.ts'

/** What drivers publish of nodes, all of it at one moment. */
export interface Published {
  readonly slices: readonly DeviceSlice[]
  readonly classes: readonly DeviceClass[]
}

/** The nodes with what drivers publish of them. */
export function joinNodes(nodes: readonly NodeView[], { slices, classes }: Published): readonly NodeView[] {
  const set = classSetOf(classes)
  const byNode = Map.groupBy(slices, ({ node }) => node)
  return nodes.map((node) => {
    const devices = nodeDevicesOf(byNode.get(node.name) ?? [], set)
    return devices === undefined ? node : { ...node, devices }
  })
}
