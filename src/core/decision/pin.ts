import type { Candidate } from '../sharing/candidates.ts'
import type { Refusal } from '../sharing/method.ts'
import type { Choice } from './fit.ts'
import type { Pin } from './wishes.ts'

/**
 * The candidates that a pin names, in order of preference. A pinned profile is an isolated slice and not a replica of
 * one. It is not bound by the policy's allowed profiles, which limit only what is chosen for users; every other
 * refusal stands.
 */
export function pinnedShares(
  pin: Exclude<Pin, { kind: 'whole-gpu' }>,
  { permitted, refused }: Choice
):
  | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] }
  | ({ readonly kind: 'refusal' } & Refusal) {
  const isMeant = ({ profile, share, replicas }: Candidate): boolean =>
    pin.kind === 'shared' ? share === 'shared' : profile === pin.profile && replicas === 1
  const unlisted = refused.filter(({ refusal }) => refusal.reason === 'ProfileNotAllowed')
  const candidates = [...permitted, ...unlisted.map(({ candidate }) => candidate)].filter(isMeant)
  if (candidates.length > 0) return { kind: 'candidates', candidates }
  const refusal = refused.find(({ candidate }) => isMeant(candidate))?.refusal
  if (refusal !== undefined) return { kind: 'refusal', ...refusal }
  const name = pin.kind === 'shared' ? 'a shared replica' : pin.resource
  return {
    kind: 'refusal',
    reason: 'PinNotOffered',
    sentence: `no node that the pod can reach offers ${name}`
  }
}
