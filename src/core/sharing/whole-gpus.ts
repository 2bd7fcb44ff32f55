import { type NodeView, servesName } from '../cluster/node-view.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { isGkeShare } from './gke-labels.ts'
import { nodeLabels, productOf } from './node-labels.ts'

/** Whether a pod that asks the node for a GPU, and for no part of one, gets a whole one as easily as a share: nothing there is cut or shared. */
export function hasWholeGpus(node: NodeView): boolean {
  return servesName(node, WHOLE_GPU) && isUncut(node) && node.hami === undefined
}

/**
 * How many pods that ask the node for a GPU get a whole one: none where GPUs are cut or shared. HAMi lists each of its GPUs several times,
 * and gives one whole to a pod that asks for no part.
 */
export function wholeGpusOn(node: NodeView): number {
  if (!isUncut(node)) return 0
  const listed = node.allocatable[WHOLE_GPU] ?? 0
  return node.hami === undefined ? listed : Math.min(listed, Math.floor(node.hami.slots / node.hami.split))
}

/** Whether `nvidia.com/gpu` means whole GPUs, by whatever method others are shared. */
function isUncut(node: NodeView): boolean {
  const strategy = node.labels[nodeLabels.sharingStrategy] ?? 'none'
  const product = productOf(node)
  const isWhole = product === undefined || (product.layout.kind === 'whole' && !product.shared)
  return strategy === 'none' && isWhole && !isGkeShare(node)
}
