import { type Authority, authoritiesIn, eachOnce, readAuthority, withoutKey } from './authority.ts'

/** The authorities of an installation, as all replicas share them. */
export interface AuthoritySet {
  /** Signs server certificates. */
  readonly current: Authority | undefined
  /** Is made known, and signs once every webhook configuration has held it for a while. */
  readonly next: Authority | undefined
  /** Signed before, newest first; believed until they end, without keys. */
  readonly previous: readonly Authority[]
}

/** What is there before anything was made. */
export const noAuthorities: AuthoritySet = { current: undefined, next: undefined, previous: [] }

/** Most authorities that are remembered; a cluster whose clocks leap about must not make the bundle grow for ever. */
const MAX_PREVIOUS = 8

/** Content of the Secret by key, and what of it cannot be used. */
export interface ReadAuthorities {
  readonly set: AuthoritySet
  /** Short texts that name the key, never its content. */
  readonly faults: readonly string[]
}

/** Reads the content of the Secret as far as it can be read. */
export function readAuthoritySet(data: Readonly<Record<string, string>>): ReadAuthorities {
  const current = readAuthority(data['ca.crt'] ?? '', data['ca.key'])
  const next = readAuthority(data['next.crt'] ?? '', data['next.key'])
  const previous = authoritiesIn(data['previous.crt'] ?? '')
  const faults = [...faultsOf('ca', data, current), ...faultsOf('next', data, next)]
  if (previous.length === 0 && (data['previous.crt'] ?? '') !== '') faults.push('previous.crt: no authority')
  return { set: { current, next, previous }, faults }
}

function faultsOf(
  name: 'ca' | 'next',
  data: Readonly<Record<string, string>>,
  authority: Authority | undefined
): string[] {
  if (authority !== undefined)
    return authority.keyPem === undefined ? [`${name}.key: no key of ${name}.crt`] : []
  const isAbsent = data[`${name}.crt`] === undefined && data[`${name}.key`] === undefined
  return isAbsent ? [] : [`${name}.crt: no certificate of an authority`]
}

/** Content of the Secret that holds these authorities. */
export function writeAuthoritySet({ current, next, previous }: AuthoritySet): Record<string, string> {
  return {
    ...entriesOf('ca', current),
    ...entriesOf('next', next),
    ...(previous.length === 0 ? {} : { 'previous.crt': pemOf(previous) })
  }
}

function entriesOf(name: 'ca' | 'next', authority: Authority | undefined): Record<string, string> {
  if (authority === undefined) return {}
  const { certPem, keyPem } = authority
  return { [`${name}.crt`]: certPem, ...(keyPem === undefined ? {} : { [`${name}.key`]: keyPem }) }
}

/** All authorities of a set, each once. */
export function membersOf({ current, next, previous }: AuthoritySet): readonly Authority[] {
  return eachOnce([...[current ?? []].flat(), ...[next ?? []].flat(), ...previous])
}

/** The set with authorities put before those of before; none that ended, none twice, none that is current or next. */
export function withPrevious(set: AuthoritySet, more: readonly Authority[], nowMs: number): AuthoritySet {
  const others = [set.current?.fingerprint, set.next?.fingerprint]
  const previous = eachOnce([...more, ...set.previous].map(withoutKey))
    .filter(({ fingerprint, notAfterMs }) => notAfterMs > nowMs && !others.includes(fingerprint))
    .slice(0, MAX_PREVIOUS)
  return { ...set, previous }
}

/** What webhook configurations have to believe: every authority that has not ended, PEM; '' where there is none. */
export function bundleOf(set: AuthoritySet, nowMs: number): string {
  return pemOf(membersOf(set).filter(({ notAfterMs }) => notAfterMs > nowMs))
}

function pemOf(authorities: readonly Authority[]): string {
  return authorities.map(({ certPem }) => certPem).join('')
}
