import type { Offer, Refusal, ShareContext } from './method.ts'

/** Why a MIG slice may not be chosen: the policy lists profiles, and not this one. Holds for every method that offers slices. */
export function refuseProfile(
  { share, profile }: Pick<Offer, 'share' | 'profile'>,
  { policy }: ShareContext
): Refusal | undefined {
  const allowed = policy.allowedProfiles
  if (allowed === undefined || (profile !== undefined && allowed.includes(profile))) return undefined
  const list = allowed.length === 0 ? 'none' : allowed.join(', ')
  return { reason: 'ProfileNotAllowed', sentence: `${share} is not among the allowed profiles (${list})` }
}
