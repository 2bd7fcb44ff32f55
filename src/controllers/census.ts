import { sliceLabel } from '../core/api/names.ts'
import { gpuModels } from '../core/gpu/catalog.ts'
import { toDottedProfile } from '../core/gpu/profile.ts'
import { enforcementOf, isSystemNamespace } from '../core/policy/enforcement.ts'
import { windowAt } from '../core/policy/window-at.ts'
import type { PodRecord } from '../gather/pod-record.ts'
import type { Census, RewrittenCount } from '../ports/controller-metrics.ts'
import type { ControllerStores } from './controller-stores.ts'
import { isRewritten } from './workloads/step-ups.ts'

/** What a census looks at. */
export interface CensusScope {
  readonly stores: Pick<ControllerStores, 'namespaces' | 'policies' | 'pods'>
  readonly systemNamespaces: readonly string[]
  readonly nowMs: number
}

/** Counts what is in memory: namespaces by what happens to their pods, pods that were given a share, windows that are open. */
export function takeCensus({ stores, systemNamespaces, nowMs }: CensusScope): Census {
  const living = stores.pods.list().filter((pod) => isRewritten(pod) && isAlive(pod))
  const waiting = living.filter(({ phase, node }) => phase === 'Pending' && node === '')
  const namespaces = { enforce: 0, warn: 0, off: 0, system: 0 }
  for (const { name, labels } of stores.namespaces.list()) {
    namespaces[isSystemNamespace(name, systemNamespaces) ? 'system' : enforcementOf(labels)] += 1
  }
  return {
    namespaces,
    rewritten: countRewritten(living),
    longestPendingSeconds: Math.max(0, ...waiting.map(({ createdMs }) => (nowMs - createdMs) / 1000)),
    openWindows: openWindows(stores.policies, nowMs)
  }
}

function isAlive({ phase }: PodRecord): boolean {
  return phase === 'Pending' || phase === 'Running'
}

/** Shares that may be told; a pod's label may hold anything where nobody guards it. */
const knownShares: ReadonlySet<string> = new Set([
  'shared',
  ...gpuModels.flatMap(({ profiles }) => profiles.map(({ name }) => `mig-${toDottedProfile(name)}`))
])

function countRewritten(pods: readonly PodRecord[]): readonly RewrittenCount[] {
  const counts = new Map<string, RewrittenCount>()
  for (const { view, phase } of pods) {
    const label = view.labels[sliceLabel] ?? ''
    const share = knownShares.has(label) ? label : 'other'
    const before = counts.get(`${share} ${phase}`)
    counts.set(`${share} ${phase}`, { share, phase, pods: (before?.pods ?? 0) + 1 })
  }
  return [...counts.values()]
}

function openWindows(policies: ControllerStores['policies'], nowMs: number): ReadonlyMap<string, boolean> {
  return new Map(
    policies
      .list()
      .flatMap(({ name, read }) =>
        read.kind === 'invalid' || read.policy.windows.length === 0
          ? []
          : [[name, windowAt(read.policy.windows, nowMs)?.open ?? false] as const]
      )
  )
}
