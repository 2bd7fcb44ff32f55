import { fieldOf, listOf, stringMapOf, stringOf } from '../../core/json.ts'
import { printDuration } from '../../core/policy/duration.ts'
import { showText } from '../../core/rules/show.ts'
import { type Authority, authoritiesIn, isAmong, readAuthority } from '../../tls/authority.ts'
import { renewalMs } from '../../tls/due.ts'
import type { Check, Finding } from '../finding.ts'
import type { Installation } from '../installation.ts'

/** Time left below which somebody should look: our own are replaced four months before their end. */
const SHORT_MS = 30 * 86_400_000

const FIX = 'docs/certificates.md; the log of the webhook says why'

/** Whether API servers have somebody to believe, for how long, and whether it is who signs. */
export const checkCertificates: Check = (installation) => {
  const bundles = bundlesOf(installation)
  const spoiled = bundles.flatMap((bundle) => judgeBundle(bundle, installation.nowMs))
  return [...spoiled, ...judgeSigning(installation, bundles, spoiled.length === 0)]
}

interface Bundle {
  readonly webhook: string
  readonly authorities: readonly Authority[]
}

function bundlesOf({ configurations }: Installation): readonly Bundle[] {
  return configurations.flatMap(({ live }) =>
    live.kind !== 'seen'
      ? []
      : listOf(live.object, 'webhooks').map((webhook) => ({
          webhook: showText(stringOf(webhook, 'name') ?? ''),
          authorities: authoritiesIn(decoded(stringOf(fieldOf(webhook, 'clientConfig'), 'caBundle') ?? ''))
        }))
  )
}

function judgeBundle({ webhook, authorities }: Bundle, nowMs: number): readonly Finding[] {
  if (authorities.length === 0)
    return [{ level: 'fail', text: `caBundle of ${webhook} holds no authority`, fix: FIX }]
  const isAlive = authorities.some(({ notAfterMs }) => notAfterMs > nowMs)
  return isAlive ? [] : [{ level: 'fail', text: `every authority of ${webhook} has ended`, fix: FIX }]
}

function judgeSigning(
  { secret, nowMs }: Installation,
  bundles: readonly Bundle[],
  isWhole: boolean
): readonly Finding[] {
  if (bundles.length === 0) return []
  const current = secret.kind === 'seen' ? readCurrent(secret.object) : undefined
  if (current === undefined) return isWhole ? judgeOthers(secret.kind, bundles, nowMs) : []
  const without = bundles.filter(({ authorities }) => !isAmong(current, authorities))
  if (without.length > 0)
    return without.map(({ webhook }) => ({
      level: 'fail',
      text: `caBundle of ${webhook} does not hold the authority that signs`,
      fix: FIX
    }))
  return [judgeTime(current, nowMs, `, replaced from ${dayOf(renewalMs(current))}`)]
}

/** Certificates are kept by somebody else, or may not be looked at. */
function judgeOthers(secret: string, bundles: readonly Bundle[], nowMs: number): readonly Finding[] {
  const known = bundles.flatMap(({ authorities }) => authorities)
  const [last] = known.toSorted((a, b) => b.notAfterMs - a.notAfterMs)
  if (last === undefined) return []
  const who = secret === 'forbidden' ? '; who signs may not be read' : '; others keep the certificates'
  return [judgeTime(last, nowMs, who)]
}

function judgeTime({ notAfterMs }: Authority, nowMs: number, more: string): Finding {
  const restMs = notAfterMs - nowMs
  const text = `authority is believed everywhere, valid for ${printDuration(Math.max(0, restMs) / 1000)}${more}`
  return restMs < SHORT_MS ? { level: 'warn', text, fix: FIX } : { level: 'ok', text }
}

function readCurrent(secret: unknown): Authority | undefined {
  return readAuthority(decoded(stringMapOf(secret, 'data')['ca.crt'] ?? ''))
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
