import { printMiB } from '../api/quantity.ts'
import { type Obstacle, obstacleTo } from '../cluster/reach.ts'
import { findGkeGpu } from '../gpu/gke-accelerators.ts'
import type { PodView } from '../pod/pod-view.ts'
import { gkeLabels } from '../sharing/gke-labels.ts'
import type { Refusal } from '../sharing/method.ts'
import type { NodeClass, NodeIndex } from '../sharing/node-index.ts'
import { nodeLabels } from '../sharing/node-labels.ts'
import { type Choice, verdictOf } from './fit.ts'
import { isApart } from './narrow.ts'
import type { Need } from './need.ts'

/** Each container could be served, but not all of them on one node. */
export const severalContainers: Refusal = {
  reason: 'SeveralGpuContainers',
  sentence: 'no single node offers what all GPU containers need'
}

/** Most GPU containers of a pod that are looked at. No node has as many shares; ten thousand of them would hold up everybody's pods. */
const MOST_GPU_CONTAINERS = 200

/** Why none of so many GPU containers is looked at, undefined when all are. */
export function containersRefusal({ length }: readonly unknown[]): Refusal | undefined {
  if (length <= MOST_GPU_CONTAINERS) return undefined
  return {
    reason: 'SeveralGpuContainers',
    sentence: `${length} containers ask for a GPU, more than the ${MOST_GPU_CONTAINERS} that are looked at`
  }
}

/** Why no permitted candidate serves the needs. */
export function whyNoneFits(needs: readonly Need[], choice: Choice): Refusal {
  for (const need of needs) {
    const verdicts = choice.permitted.map((candidate) => verdictOf(candidate, need))
    if (verdicts.includes('fits')) continue
    return verdicts.includes('too-little-compute')
      ? computeTooHigh(need, choice)
      : memoryTooLarge(need, choice)
  }
  return severalContainers
}

function computeTooHigh(need: Need, { permitted }: Choice): Refusal {
  const large = permitted.filter((candidate) => verdictOf(candidate, need) === 'too-little-compute')
  const most = Math.max(...large.map(({ computeRatio = 0 }) => computeRatio))
  const peak = need.usage.peakCompute
  return {
    reason: 'ComputeTooHigh',
    sentence: `container ${need.container.name}: ${peak?.metric ?? 'compute'} peaks at ${percent(peak?.ratio)}, no share with enough memory has that much (largest ${percent(most)})`
  }
}

const memoryReasons = {
  peak: 'PeakTooLarge',
  'min-memory': 'MinMemoryTooLarge',
  'size-floor': 'SizeNotSettled'
} as const

function memoryTooLarge({ container, neededMiB, raisedBy }: Need, { permitted }: Choice): Refusal {
  const unknown = permitted.filter(({ usableMiB }) => usableMiB === undefined)
  if (unknown.length === permitted.length) {
    const shares = [...new Set(unknown.map(({ share }) => share))].join(', ')
    return {
      reason: 'MemoryUnknown',
      sentence: `neither a node label nor the catalogue tells the memory of ${shares}`
    }
  }
  const most = Math.max(0, ...permitted.map(({ usableMiB = 0 }) => usableMiB))
  const needs = raisedBy === 'size-floor' ? 'keeps at least' : 'needs'
  const until = raisedBy === 'size-floor' ? ' until a smaller size has held for long enough' : ''
  return {
    reason: memoryReasons[raisedBy],
    sentence: `container ${container.name} ${needs} ${printMiB(neededMiB)}${until}, the largest share that may be used holds ${printMiB(most)}`
  }
}

function percent(ratio: number | undefined): string {
  return ratio === undefined ? 'an unknown share' : `${Math.round(ratio * 100)}%`
}

/**
 * Why there is no permitted candidate at all: refused ones say so themselves (slices first), otherwise the nodes are
 * looked at.
 * @param reachable classes of nodes that the pod can be placed on
 */
export function whyNothingOffered(
  choice: Choice,
  { pod, index, reachable }: { pod: PodView; index: NodeIndex; reachable: readonly NodeClass[] }
): Refusal {
  const refused = choice.refused.find(({ candidate }) => isApart(candidate)) ?? choice.refused[0]
  if (refused !== undefined) return refused.refusal
  const obstacle = nearestOffer(pod, index, reachable)
  if (obstacle !== undefined) return { reason: 'SelectorNeverMatches', sentence: obstacle }
  if (reachable.length > 0 && reachable.every(cannotPartition)) {
    return {
      reason: 'ModelCannotPartition',
      sentence: 'no GPU that the pod can reach can be partitioned, and none is shared'
    }
  }
  return { reason: 'NoShareOffered', sentence: devicesOutOfReach(reachable) ?? noShare }
}

const noShare = 'no ready node that the pod can reach has a share in allocatable'

/** Devices that are published, but to which no class leads that is understood. */
function devicesOutOfReach(reachable: readonly NodeClass[]): string | undefined {
  for (const { nodes } of reachable) {
    const [node] = nodes
    const share = node.devices?.shares.find(
      (own) => own.resource === undefined && own.deviceClass === undefined
    )
    if (share === undefined) continue
    return `node ${node.name} has MIG devices ${share.profile}, but no DeviceClass that is understood takes them`
  }
  return undefined
}

function cannotPartition({ nodes }: NodeClass): boolean {
  const { labels, devices } = nodes[0]
  return (
    (devices?.shares.length ?? 0) === 0 &&
    labels[nodeLabels.migCapable] !== 'true' &&
    labels[nodeLabels.migStrategy] === undefined &&
    findGkeGpu(labels[gkeLabels.accelerator] ?? '')?.model === undefined
  )
}

/** What keeps the pod from the first node that offers a share, undefined when no other node offers one. */
function nearestOffer(pod: PodView, index: NodeIndex, reachable: readonly NodeClass[]): string | undefined {
  const reached = new Set(reachable.flatMap(({ nodes }) => nodes))
  for (const { nodes, offers } of index.classes) {
    const offer = offers[0]
    if (offer === undefined || nodes.every((node) => reached.has(node))) continue
    const node = nodes[0]
    const obstacle = obstacleTo(pod, node)
    if (obstacle !== undefined) return `${tell(obstacle)} node ${node.name}, which offers ${offer.resource}`
  }
  return undefined
}

function tell(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'selector':
      return `nodeSelector ${obstacle.key}=${obstacle.want} does not match ${obstacle.have ?? 'the missing label'} of`
    case 'affinity':
      return 'required node affinity excludes'
    case 'taint':
      return `taint ${obstacle.key} is not tolerated on`
  }
}

/** Why a pod that no policy governs would be governed if it could reach the policy's nodes; undefined when it can reach some. */
export function whyOutOfReach(pod: PodView, index: NodeIndex): Refusal | undefined {
  const obstacle = nearestOffer(pod, index, [])
  return obstacle === undefined ? undefined : { reason: 'SelectorNeverMatches', sentence: obstacle }
}
