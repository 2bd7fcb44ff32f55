import { type AskingContainer, gpuCountsOf } from './gpu-request.ts'
import type { ContainerView } from './pod-view.ts'

/**
 * What a pod takes from its node, by GPU resource: several containers can ask for one resource, and init containers run at
 * other times. Three init containers with one GPU each before a container with two take two.
 * @param containers init containers first, in the order of their lists
 * @source https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
 */
export function gpuTotalOf(
  containers: readonly (AskingContainer & Pick<ContainerView, 'role'>)[]
): Readonly<Record<string, number>> {
  const lasting = new Map<string, number>()
  const highest = new Map<string, number>()
  for (const container of containers) {
    for (const [name, count] of gpuCountsOf(container)) {
      const together = (lasting.get(name) ?? 0) + count
      if (container.role !== 'init') lasting.set(name, together)
      highest.set(name, Math.max(highest.get(name) ?? 0, together))
    }
  }
  return Object.fromEntries([...highest].sort(([a], [b]) => (a < b ? -1 : 1)))
}
