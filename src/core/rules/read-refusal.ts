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

/** How the API server introduces our words, and what stands between those about two rules. */
interface Introduction {
  readonly words: RegExp
  readonly between: RegExp
}

/**
 * Those of the webhook, which writes a line a rule, and those of our admission policies, which cannot break lines.
 * @source k8s.io/apiserver, plugin/webhook/errors and plugin/policy/validating: messages of a denied request
 */
const introductions: readonly Introduction[] = [
  { words: /admission webhook "isolation\.rightslice\.dev" denied the request: /, between: /\n/ },
  {
    words:
      /ValidatingAdmissionPolicy 'rightslice-[a-z0-9.-]{1,240}' with binding '[^'\n]{1,253}' denied request: /,
    between: /\n| (?=\[[A-Za-z]{1,64}\] )| (?=Help: )/
  }
]

/**
 * The rules by which a pod was refused, each once, from the text that Kubernetes repeats. The text is hostile: anybody who may write
 * an Event can forge it, so nothing but known rules is read, and what is said of them comes back clean and short.
 */
export function refusalsTold(message: string): readonly ToldRefusal[] {
  const text = message.slice(0, MAX_TEXT)
  const told = new Map<RuleCode, ToldRefusal>()
  for (const line of linesAfterIntroduction(text)) {
    const [, rule = '', words = ''] = /^\[([A-Za-z]{1,64})\] (.+)$/.exec(line) ?? []
    if (isRuleCode(rule) && !told.has(rule)) told.set(rule, { rule, words: clean(words) })
  }
  return [...told.values()]
}

function linesAfterIntroduction(text: string): readonly string[] {
  for (const { words, between } of introductions) {
    const found = words.exec(text)
    if (found !== null) return text.slice(found.index + found[0].length).split(between)
  }
  return []
}

function clean(words: string): string {
  const plain = words.slice(0, MAX_WORDS + 1).replace(/[^\x20-\x7e]/g, '?')
  return plain.length <= MAX_WORDS ? plain : `${plain.slice(0, MAX_WORDS - 3)}...`
}
