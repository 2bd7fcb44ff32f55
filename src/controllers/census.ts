import { sliceLabel } from '../core/api/names.ts'
import { gpuModels } from '../core/gpu/catalog.ts'
import { toDottedProfile } from '../core/gpu/profile.ts'
import { enforcementOf, isSystemNamespace } from '../core/policy/enforcement.ts'
import type { PolicyWindow } from '../core/policy/window.ts'
import { type WindowState, windowAt } from '../core/policy/window-at.ts'
import type { NamespaceView } from '../gather/cluster-state.ts'
import type { PodRecord } from '../gather/pod-record.ts'
import type { Census, RewrittenCount } from '../ports/controller-metrics.ts'
import type { ControllerStores } from './controller-stores.ts'
import type { PolicyObject } from './policies/policy-object.ts'
import { isRewritten } from './workloads/step-ups.ts'

/** What a census looks at. */
export interface CensusScope {
  readonly stores: Pick<ControllerStores, 'namespaces' | 'policies' | 'pods'>
  readonly systemNamespaces: readonly string[]
  readonly nowMs: () => number
}

/** Counts what is in memory: namespaces by what happens to their pods, pods that were given a share, windows that are open. */
export function censusTaker({ stores, systemNamespaces, nowMs }: CensusScope): () => Census {
  const isOpen = windowMemory()
  return () => {
    const now = nowMs()
    return {
      namespaces: countNamespaces(stores.namespaces.list(), systemNamespaces),
      ...countPods(stores.pods.list(), now),
      openWindows: openWindows(stores.policies.list(), (windows) => isOpen(windows, now))
    }
  }
}

function countNamespaces(
  namespaces: readonly NamespaceView[],
  systemNamespaces: readonly string[]
): Census['namespaces'] {
  const counts = { enforce: 0, warn: 0, off: 0, system: 0 }
  for (const { name, labels } of namespaces) {
    counts[isSystemNamespace(name, systemNamespaces) ? 'system' : enforcementOf(labels)] += 1
  }
  return counts
}

function countPods(
  pods: readonly PodRecord[],
  nowMs: number
): Pick<Census, 'rewritten' | 'longestPendingSeconds'> {
  const living = pods.filter((pod) => isRewritten(pod) && isAlive(pod))
  const waiting = living.filter(({ phase, node }) => phase === 'Pending' && node === '')
  return {
    rewritten: countRewritten(living),
    longestPendingSeconds: waiting.reduce((most, pod) => Math.max(most, (nowMs - pod.createdMs) / 1000), 0)
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

function openWindows(
  policies: readonly PolicyObject[],
  isOpen: (windows: readonly PolicyWindow[]) => boolean
): ReadonlyMap<string, boolean> {
  const named = policies.flatMap(({ name, read }) =>
    read.kind === 'invalid' || read.policy.windows.length === 0
      ? []
      : [{ name, windows: read.policy.windows }]
  )
  return new Map(named.map(({ name, windows }) => [name, isOpen(windows)]))
}

/** How long it is believed that nothing opens for years, ms. */
const NEVER_MS = 3_600_000

/**
 * Whether windows are open, reckoned anew only when what was found is over: one look costs milliseconds, and whoever scrapes asks
 * for all policies at once. Time goes forward here.
 */
function windowMemory(): (windows: readonly PolicyWindow[], nowMs: number) => boolean {
  const known = new WeakMap<readonly PolicyWindow[], { readonly open: boolean; readonly untilMs: number }>()
  return (windows, nowMs) => {
    const before = known.get(windows)
    if (before !== undefined && nowMs < before.untilMs) return before.open
    const found = windowAt(windows, nowMs)
    const open = found?.open ?? false
    known.set(windows, { open, untilMs: untilOf(found, nowMs) })
    return open
  }
}

function untilOf(found: WindowState | undefined, nowMs: number): number {
  if (found === undefined) return nowMs + NEVER_MS
  return found.open ? found.closesMs : found.opensMs
}
