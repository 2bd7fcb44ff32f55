import type { Log } from '../ports/log.ts'
import type { SecretReading, SecretStore } from '../ports/secret-store.ts'
import { readAuthority } from './authority.ts'
import { type AuthoritySet, readAuthoritySet, writeAuthoritySet } from './authority-set.ts'
import {
  type AuthorityPlan,
  type AuthorityView,
  authorityValidity,
  type ChangeReason,
  planAuthorities
} from './due.ts'
import { issueAuthority } from './issue.ts'

/** Changes that nobody planned; a person may want to know. */
const surprising: readonly ChangeReason[] = ['restored', 'unusable', 'next-unusable', 'adopted']

/** The authorities that replicas share through a Secret; each does what it finds undone. */
export class SharedAuthorities {
  readonly #secrets: SecretStore
  readonly #log: Log
  #told = ''

  constructor({ secrets, log }: { readonly secrets: SecretStore; readonly log: Log }) {
    this.#secrets = secrets
    this.#log = log
  }

  /**
   * Does what is due, and gives what is stored after it; undefined when somebody else wrote in the meantime.
   * @throws AppError KUBE_UNREACHABLE, KUBE_REFUSED
   */
  async settle(
    { secret }: SecretReading,
    view: Omit<AuthorityView, 'stored'>,
    signal: AbortSignal
  ): Promise<AuthoritySet | undefined> {
    const { set: stored, faults } = readAuthoritySet(secret?.data ?? {})
    this.#tellFaults(faults)
    const plan = planAuthorities({ ...view, stored })
    if (plan.kind === 'keep') return stored
    const set = await carryOut(plan, view)
    const write = await this.#secrets.write(secret, writeAuthoritySet(set), signal)
    if (write === 'conflict') return undefined
    this.#tellChange(plan.reason, set)
    return set
  }

  /** Once for each change, not with every look. */
  #tellFaults(faults: readonly string[]): void {
    const text = faults.join('; ')
    if (text !== this.#told && text !== '') this.#log.warn({ faults }, 'secret of authorities is spoiled')
    this.#told = text
  }

  #tellChange(reason: ChangeReason, { current, next }: AuthoritySet): void {
    const fields = { reason, current: current?.fingerprint, next: next?.fingerprint }
    const level = surprising.includes(reason) ? 'warn' : 'info'
    this.#log[level](fields, 'certificate authorities changed')
  }
}

async function carryOut(
  plan: Exclude<AuthorityPlan, { kind: 'keep' }>,
  { nowMs, times }: Pick<AuthorityView, 'nowMs' | 'times'>
): Promise<AuthoritySet> {
  if (plan.kind === 'store') return plan.set
  const made = await issueAuthority(authorityValidity(nowMs, times))
  const fresh = readAuthority(made.certPem, made.keyPem)
  if (fresh === undefined) throw new Error('the authority that was made cannot be read')
  return plan.place(fresh)
}
