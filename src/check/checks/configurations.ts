import { isDeepStrictEqual } from 'node:util'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../../core/json.ts'
import { showList, showText } from '../../core/rules/show.ts'
import type { Check, Finding } from '../finding.ts'
import type { ConfigurationSight } from '../installation.ts'

const FIX = 'kubectl apply -k manifests/base'

/** What is lost where a configuration does not exist. */
const loss: Readonly<Record<ConfigurationSight['configuration']['name'], string>> = {
  'zz-rightslice': 'no pod is given a share',
  'rightslice-isolation': 'no pod that breaks isolation is refused',
  'rightslice-advice': 'nobody is told what would happen'
}

/** Whether every webhook is registered as it is shipped. */
export const checkConfigurations: Check = ({ configurations }) => {
  const findings = configurations.flatMap(judgeConfiguration)
  if (findings.length > 0) return findings
  const count = configurations.reduce((sum, { shipped }) => sum + listOf(shipped, 'webhooks').length, 0)
  return [{ level: 'ok', text: `webhooks registered as shipped: ${count}` }]
}

function judgeConfiguration({ configuration, shipped, live }: ConfigurationSight): readonly Finding[] {
  const { kind, name } = configuration
  if (live.kind === 'forbidden') return [{ level: 'info', text: `${kind} ${name} may not be read` }]
  if (live.kind === 'absent') {
    const level = kind === 'MutatingWebhookConfiguration' ? 'fail' : 'warn'
    return [{ level, text: `${kind} ${name} is missing: ${loss[name]}`, fix: FIX }]
  }
  const webhooks = listOf(live.object, 'webhooks')
  const known = listOf(shipped, 'webhooks').filter(isRecord)
  const differing = known.flatMap((webhook) => differences(webhook, webhooks))
  const names = known.map((webhook) => stringOf(webhook, 'name'))
  const strangers = webhooks.flatMap((webhook) =>
    names.includes(stringOf(webhook, 'name'))
      ? []
      : [`${showText(stringOf(webhook, 'name') ?? '')} is not shipped`]
  )
  return [...differing, ...strangers].map((text) => ({ level: 'warn', text: `${name}: ${text}`, fix: FIX }))
}

/** A sentence for a webhook that says something else than it is shipped with. */
function differences(shipped: JsonRecord, live: readonly unknown[]): readonly string[] {
  const name = stringOf(shipped, 'name') ?? ''
  const found = live.find((webhook) => stringOf(webhook, 'name') === name)
  if (found === undefined) return [`${name} is missing`]
  const fields = Object.keys(shipped).filter((key) => key !== 'clientConfig')
  const wrong = fields.flatMap((key) =>
    isDeepStrictEqual(fieldOf(found, key), shipped[key]) ? [] : [difference(key, shipped[key], found)]
  )
  const service = (webhook: unknown): unknown => fieldAt(webhook, 'clientConfig', 'service')
  if (!isDeepStrictEqual(service(found), service(shipped)))
    wrong.push(difference('clientConfig.service', undefined, found))
  const selector = fieldOf(found, 'objectSelector')
  if (isRecord(selector) && Object.keys(selector).length > 0) wrong.push('objectSelector is set')
  return wrong.length === 0 ? [] : [`${name}: ${showList(wrong)}`]
}

/** Single words are told, longer values only named. */
function difference(key: string, want: unknown, webhook: unknown): string {
  const is = fieldOf(webhook, key)
  const isWord = ['string', 'number'].includes(typeof want) && ['string', 'number'].includes(typeof is)
  return isWord ? `${key} is ${showText(String(is))}, shipped is ${String(want)}` : `${key} differs`
}
