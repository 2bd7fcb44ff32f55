import { gpuRequestOf } from '../core/pod/gpu-request.ts'
import type { PodRecord } from './pod-record.ts'

/** Nodes on which a running pod holds a whole GPU or a share of one, each once, sorted. */
export function nodesInUse(pods: readonly PodRecord[]): readonly string[] {
  const held = pods.filter(
    ({ node, phase, view }) => node !== '' && phase === 'Running' && view.containers.some(holdsGpu)
  )
  return [...new Set(held.map(({ node }) => node))].sort()
}

function holdsGpu(container: PodRecord['view']['containers'][number]): boolean {
  const { kind } = gpuRequestOf(container)
  return kind === 'whole' || kind === 'share'
}
