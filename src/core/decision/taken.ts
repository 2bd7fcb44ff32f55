import { gpuTotalOf } from '../pod/gpu-total.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { Rewrite } from './decision.ts'

/** What the pod will take from its node once it has its shares, by resource. */
export function takenBy(
  { containers }: Pick<PodView, 'containers'>,
  { changes }: Pick<Rewrite, 'changes'>
): Readonly<Record<string, number>> {
  const asks = new Map(changes.map(({ container, ask }) => [`${container.list}/${container.index}`, ask]))
  return gpuTotalOf(
    containers.map(({ list, index, role }) => ({
      role,
      limits: asks.get(`${list}/${index}`)?.resources,
      requests: undefined
    }))
  )
}
