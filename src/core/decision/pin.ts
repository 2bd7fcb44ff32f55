import { printMiB } from '../api/quantity.ts'
import type { ContainerView } from '../pod/pod-view.ts'
import type { Candidate } from '../sharing/candidates.ts'
import type { Refusal } from '../sharing/method.ts'
import { anySize, type Demand } from './assign.ts'
import type { Choice } from './fit.ts'
import type { Pin, Wishes } from './wishes.ts'

type SharePin = Exclude<Pin, { kind: 'whole-gpu' }>

/** What a pinned container needs: nothing, but for a share that is cut to measure, which is as large as the pod says. */
export function pinnedDemand(container: ContainerView, pin: SharePin, { minMemoryMiB }: Wishes): Demand {
  return { ...anySize(container), neededMiB: pin.kind === 'gpumem' ? (minMemoryMiB ?? 0) : 0 }
}

/**
 * The candidates that a pin names, in order of preference. A pinned profile is an isolated slice and not a replica of
 * one, by whatever method nodes offer it. It is not bound by the policy's allowed profiles, which limit only what is chosen for users; every other
 * refusal stands.
 */
export function pinnedShares(
  pin: SharePin,
  { permitted, refused }: Choice
):
  | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] }
  | ({ readonly kind: 'refusal' } & Refusal) {
  const isMeant = ({ profile, share, replicas, separation }: Candidate): boolean =>
    pin.kind === 'mig'
      ? profile === pin.profile && replicas === 1 && separation === 'hardware'
      : share === pin.kind
  const unlisted = refused.filter(({ refusal }) => refusal.reason === 'ProfileNotAllowed')
  const candidates = [...permitted, ...unlisted.map(({ candidate }) => candidate)].filter(isMeant)
  if (candidates.length > 0) return { kind: 'candidates', candidates }
  const refusal = refused.find(({ candidate }) => isMeant(candidate))?.refusal
  if (refusal !== undefined) return { kind: 'refusal', ...refusal }
  const name = pin.kind === 'mig' ? `a MIG slice ${pin.profile}` : pinNames[pin.kind]
  return {
    kind: 'refusal',
    reason: 'PinNotOffered',
    sentence: `no node that the pod can reach offers ${name}`
  }
}

const pinNames = { shared: 'a shared replica', gpumem: 'a part of a GPU by HAMi' } as const

/** Why a pod cannot have a share of the size that it names; undefined where it names none. */
export function whyPinIsTooLarge(pin: SharePin, { minMemoryMiB }: Wishes): Refusal | undefined {
  if (pin.kind !== 'gpumem' || minMemoryMiB === undefined) return undefined
  const sentence = `no GPU of HAMi that the pod can reach has ${printMiB(minMemoryMiB)} for one container`
  return { reason: 'MinMemoryTooLarge', sentence }
}
