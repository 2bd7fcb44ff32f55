import { type Authority, canSign, isAmong, isValidAt } from './authority.ts'
import { type AuthoritySet, membersOf, withPrevious } from './authority-set.ts'
import type { KeyedCertificate, Validity } from './issue.ts'

/** How long things last, ms. */
export interface CertificateTimes {
  /** Life of an authority; the next one is made after two thirds. */
  readonly authorityMs: number
  /** How long before now an authority begins, so that API servers whose clocks are behind believe it. */
  readonly backdateMs: number
  /** Life of a server certificate; renewed after about two thirds. */
  readonly leafMs: number
  /** How long every configuration must have been seen to hold an authority before it signs: API servers tell nobody when they have read it. */
  readonly publishedMs: number
  /** Pause between two looks when all is well. */
  readonly lookMs: number
  /** Pause between two looks while something is to be done. */
  readonly hastyLookMs: number
}

const DAY_MS = 86_400_000

/** What an installation uses. */
export const certificateTimes: CertificateTimes = {
  authorityMs: 365 * DAY_MS,
  backdateMs: 3_600_000,
  leafMs: 7 * DAY_MS,
  publishedMs: 120_000,
  lookMs: 60_000,
  hastyLookMs: 5_000
}

/** Part of its life after which a certificate is replaced. */
const RENEW_RATIO = 2 / 3

/** How far replicas spread the renewal of their server certificates, as a part of the life. */
const SPREAD_RATIO = 0.1

/** A server certificate that this process made, and the authority that signed it. */
export interface Leaf extends KeyedCertificate, Validity {
  readonly authority: Authority
}

/** What is known when authorities are looked at. */
export interface AuthorityView {
  readonly stored: AuthoritySet
  /** What this process last knew; undefined before its first look. */
  readonly remembered: AuthoritySet | undefined
  /** The server certificate in use. */
  readonly leaf: Leaf | undefined
  /** Authorities that webhook configurations believe now. */
  readonly believed: readonly Authority[]
  /** How long every configuration has been seen to hold an authority, ms. */
  readonly publishedMs: (authority: Authority) => number
  readonly nowMs: number
  readonly times: CertificateTimes
}

/** Why authorities change. */
export type ChangeReason =
  | 'restored'
  | 'first'
  | 'unusable'
  | 'next-unusable'
  | 'adopted'
  | 'published'
  | 'ageing'
  | 'ended'

/** What is to be done about authorities: nothing, to store another set, or to make an authority and store the set with it. */
export type AuthorityPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'store'; readonly reason: ChangeReason; readonly set: AuthoritySet }
  | {
      readonly kind: 'issue'
      readonly reason: ChangeReason
      readonly place: (fresh: Authority) => AuthoritySet
    }

/**
 * What is due of the authorities. Whatever was believed stays so until it ends, so that no server certificate in use loses its
 * authority: neither by rotation, nor when the stored ones were lost or spoiled.
 */
export function planAuthorities(view: AuthorityView): AuthorityPlan {
  const { stored, leaf, nowMs } = view
  if (!canSign(stored.current, nowMs)) return planCurrent(view)
  if (leaf !== undefined && leaf.authority.notAfterMs > nowMs && !isAmong(leaf.authority, membersOf(stored)))
    return { kind: 'store', reason: 'adopted', set: withPrevious(stored, [leaf.authority], nowMs) }
  return planNext(view) ?? planEnd(view)
}

/** Nobody can sign with what is stored. */
function planCurrent({ stored, remembered, believed, leaf, nowMs }: AuthorityView): AuthorityPlan {
  const { current, next } = stored
  if (current === undefined && canSign(remembered?.current, nowMs))
    return { kind: 'store', reason: 'restored', set: remembered }
  const inUse = leaf === undefined ? [] : [leaf.authority]
  const kept = [...(current === undefined ? believed : [current]), ...inUse]
  if (canSign(next, nowMs)) {
    const set = withPrevious({ ...stored, current: next, next: undefined }, kept, nowMs)
    return { kind: 'store', reason: 'unusable', set }
  }
  const reason = current === undefined && kept.length === 0 ? 'first' : 'unusable'
  const place = (fresh: Authority): AuthoritySet =>
    withPrevious({ ...stored, current: fresh, next: undefined }, kept, nowMs)
  return { kind: 'issue', reason, place }
}

function planNext({ stored, publishedMs, nowMs, times }: AuthorityView): AuthorityPlan | undefined {
  const { current, next } = stored
  if (next === undefined) {
    if (current === undefined || nowMs < renewalMs(current)) return undefined
    return { kind: 'issue', reason: 'ageing', place: (fresh) => ({ ...stored, next: fresh }) }
  }
  if (!canSign(next, nowMs))
    return { kind: 'store', reason: 'next-unusable', set: { ...stored, next: undefined } }
  if (current === undefined || publishedMs(next) < times.publishedMs) return undefined
  const set = withPrevious({ ...stored, current: next, next: undefined }, [current], nowMs)
  return { kind: 'store', reason: 'published', set }
}

function planEnd({ stored, nowMs }: AuthorityView): AuthorityPlan {
  const set = withPrevious(stored, [], nowMs)
  return set.previous.length === stored.previous.length
    ? { kind: 'keep' }
    : { kind: 'store', reason: 'ended', set }
}

/** When two thirds of a life are over, ms since the epoch. */
export function renewalMs({ notBeforeMs, notAfterMs }: Validity): number {
  return notBeforeMs + (notAfterMs - notBeforeMs) * RENEW_RATIO
}

/** From when to when a new authority is valid. */
export function authorityValidity(nowMs: number, { authorityMs, backdateMs }: CertificateTimes): Validity {
  return { notBeforeMs: nowMs - backdateMs, notAfterMs: nowMs + authorityMs }
}

/**
 * From when to when a new server certificate is valid: from the beginning of its authority, so that a clock that runs ahead makes none
 * that API servers find too young; and never longer than its authority.
 */
export function leafValidity(authority: Authority, nowMs: number, { leafMs }: CertificateTimes): Validity {
  return {
    notBeforeMs: authority.notBeforeMs,
    notAfterMs: Math.min(nowMs + leafMs, authority.notAfterMs)
  }
}

/** What decides about the server certificate. */
export interface LeafView extends Pick<AuthorityView, 'leaf' | 'publishedMs' | 'nowMs' | 'times'> {
  readonly current: Authority | undefined
  /** 0 to 1, of this process; spreads replicas. */
  readonly spread: number
}

/**
 * Whether a server certificate is to be made now. One of another authority is kept while it is valid, until every configuration has
 * held the new authority for long enough.
 */
export function isLeafDue({ leaf, current, publishedMs, nowMs, times, spread }: LeafView): boolean {
  if (!canSign(current, nowMs)) return false
  if (leaf === undefined || !isValidAt(leaf, nowMs)) return true
  if (leaf.authority.fingerprint !== current.fingerprint) return publishedMs(current) >= times.publishedMs
  const restMs = times.leafMs * (1 - RENEW_RATIO + SPREAD_RATIO * (spread - 0.5))
  const isNearEnd = leaf.notAfterMs - nowMs <= restMs
  return isNearEnd && leafValidity(current, nowMs, times).notAfterMs > leaf.notAfterMs
}
