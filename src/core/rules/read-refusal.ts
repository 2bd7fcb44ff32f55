import { isRuleCode, type RuleCode } from '../api/rules.ts'

/** A rule by which somebody's pod was refused, as a message of the API server repeats it. */
export interface ToldRefusal {
  readonly rule: RuleCode
  /** What broke it and the way out; printable ASCII, cut. */
  readonly words: string
}

/** Text that is looked through, characters: a refusal has some hundred a rule. */
const MAX_TEXT = 16_384

/** Longest words of one rule that are repeated, characters. */
const MAX_WORDS = 500

/**
 * How the API server introduces our words: the webhook's, and those of our admission policies.
 * @source k8s.io/apiserver, plugin/webhook/errors and plugin/policy/validating: messages of a denied request
 */
const introductions: readonly RegExp[] = [
  /admission webhook "isolation\.rightslice\.dev" denied the request: /,
  /ValidatingAdmissionPolicy 'rightslice-[a-z0-9.-]{1,240}' with binding '[^'\n]{1,253}' denied request: /
]

/**
 * The rules by which a pod was refused, each once, from the text that Kubernetes repeats. The text is hostile: anybody who may write
 * an Event can forge it, so nothing but known rules is read, and what is said of them comes back clean and short.
 */
export function refusalsTold(message: string): readonly ToldRefusal[] {
  const text = message.slice(0, MAX_TEXT)
  const told = new Map<RuleCode, ToldRefusal>()
  for (const line of wordsAfterIntroduction(text).split('\n')) {
    const [, rule = '', words = ''] = /^\[([A-Za-z]{1,64})\] (.+)$/.exec(line) ?? []
    if (isRuleCode(rule) && !told.has(rule)) told.set(rule, { rule, words: clean(words) })
  }
  return [...told.values()]
}

function wordsAfterIntroduction(text: string): string {
  const [found] = introductions.flatMap((pattern) => pattern.exec(text) ?? [])
  const start = found === undefined ? -1 : text.indexOf(found)
  return start === -1 ? '' : text.slice(start + (found ?? '').length)
}

function clean(words: string): string {
  const plain = words.slice(0, MAX_WORDS + 1).replace(/[^\x20-\x7e]/g, '?')
  return plain.length <= MAX_WORDS ? plain : `${plain.slice(0, MAX_WORDS - 3)}...`
}
