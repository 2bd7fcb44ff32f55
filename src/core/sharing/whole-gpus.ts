import { type NodeView, servesName } from '../cluster/node-view.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { isGkeShare } from './gke-labels.ts'
import { nodeLabels, productOf } from './node-labels.ts'

/** Whether a pod that asks the node for a GPU gets a whole one: GPUs there are neither cut nor shared, by whatever method. */
export function hasWholeGpus(node: NodeView): boolean {
  const strategy = node.labels[nodeLabels.sharingStrategy] ?? 'none'
  const product = productOf(node)
  const isWhole = product === undefined || (product.layout.kind === 'whole' && !product.shared)
  return (
    servesName(node, WHOLE_GPU) &&
    strategy === 'none' &&
    isWhole &&
    !isGkeShare(node) &&
    node.hami === undefined
  )
}
