import type { NodeView } from '../../core/cluster/node-view.ts'
import { productOf } from '../../core/sharing/node-labels.ts'
import { shareMiB } from '../../core/usage/attribution/device-size.ts'
import type { KnownPod } from '../../core/usage/attribution/known.ts'
import type { SizeState } from '../../core/usage/estimator/hysteresis.ts'
import { knownNodeOf } from './known-node.ts'

/** Where the share of a pod's container is looked for. */
export interface ShareScope {
  readonly container: string
  /** GPU model that is looked at. */
  readonly model: string
  /** All models that have a record of their own. */
  readonly models: readonly string[]
  /** The size in force on the model. */
  readonly size: SizeState
  /** A node by its name; undefined where it is not there any more. */
  readonly nodeOf: (name: string) => NodeView | undefined
}

/**
 * Memory of the share that a pod's container asks for, MiB; where its resource does not tell, the size that was in force when the pod
 * began. undefined where neither tells, and for a pod on another model that has a record of its own.
 */
export function shareMiBOfPod(pod: KnownPod, scope: ShareScope): number | undefined {
  const { container, model, models, nodeOf } = scope
  const node = nodeOf(pod.node)
  const own = modelOn(node) ?? model
  if (own !== model && models.includes(own)) return undefined
  const asking = pod.containers.find(({ name }) => name === container)
  const resource = asking?.gpuResource
  const known = node === undefined ? undefined : knownNodeOf(node)
  const askedMiB = resource === undefined ? undefined : shareMiB(resource, { model: own, node: known })
  return asking?.limitMiB ?? askedMiB ?? heldSince(pod, scope)
}

/** Before the last change of size the pod may have had any share. */
function heldSince({ startMs }: KnownPod, { size: { heldMiB, changedMs } }: ShareScope): number | undefined {
  return startMs !== undefined && changedMs !== undefined && startMs >= changedMs ? heldMiB : undefined
}

/** GPU model of a node; undefined where the node or its label is missing. */
export function modelOn(node: NodeView | undefined): string | undefined {
  return node === undefined ? undefined : productOf(node)?.model
}
