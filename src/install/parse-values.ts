import { AppError } from '../core/errors.ts'
import { showText } from '../core/rules/show.ts'
import { InstallValues } from './values.ts'

/** Words that mean something else than their letters. */
const words = new Map<string, boolean>([
  ['true', true],
  ['false', false]
])

/**
 * The values that pairs `key=value` choose, as of `--set`; the last one of a key counts. A key may begin with `settings.`.
 * @throws AppError USAGE_WRONG with every fault
 */
export function parseValues(pairs: readonly string[]): InstallValues {
  const chosen = pairs.map(parsePair)
  const part = (isSetting: boolean): Readonly<Record<string, unknown>> =>
    Object.fromEntries(chosen.flatMap((one) => (one.isSetting === isSetting ? [[one.key, one.value]] : [])))
  const parsed = InstallValues.safeParse({ ...part(false), settings: part(true) })
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`
  )
  throw new AppError('USAGE_WRONG', `--set: ${faults.map((fault) => showText(fault)).join('; ')}`)
}

interface Choice {
  readonly isSetting: boolean
  readonly key: string
  readonly value: string | number | boolean
}

function parsePair(pair: string): Choice {
  const [, prefix, key = '', text = ''] = /^(settings\.)?(\w+)=(.*)$/s.exec(pair) ?? []
  const isSetting = prefix !== undefined
  if (key === '' || (!isSetting && key === 'settings'))
    throw new AppError('USAGE_WRONG', `--set ${showText(pair)}: write KEY=VALUE or settings.KEY=VALUE`)
  return { isSetting, key, value: isSetting || key === 'image' ? text : scalarOf(text) }
}

/** Settings stay text, as the environment holds them; of the other values some are numbers or flags. */
function scalarOf(text: string): string | number | boolean {
  const word = words.get(text)
  if (word !== undefined) return word
  return /^\d{1,9}$/.test(text) ? Number(text) : text
}
