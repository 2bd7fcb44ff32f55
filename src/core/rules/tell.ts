import type { Breach } from './rule.ts'
import { showText } from './show.ts'
import type { Verdict } from './verdict.ts'

/** Most containers that one answer blames by one rule; the others are counted, so that every rule is told. */
const MAX_PER_RULE = 5

/** Longest line of a warning. @source kube-apiserver may cut warnings beyond 256 characters */
const MAX_WARNING = 250

/** One breach in one line: `[PrivilegedWithGpu] container "main" has …; drop privileged …`. */
export function breachLine({ rule, container, seen, wayOut }: Breach): string {
  return `[${rule}] ${subjectOf(container)} ${seen}; ${wayOut}`
}

/** What broke the rule, in words, without what it did. */
export function subjectOf(container: Breach['container']): string {
  if (container === undefined) return 'the pod'
  return `${kinds[container.list]} ${showText(container.name)}`
}

const kinds = {
  containers: 'container',
  initContainers: 'init container',
  ephemeralContainers: 'ephemeral container'
} as const

/** The message with which a pod is refused: every broken rule on a line of its own, then where to read on. */
export function refusalMessage(refused: readonly Breach[], policy: string | undefined): string {
  const [first] = refused
  const by = policy === undefined ? '' : `policy ${showText(policy)}; `
  const help = `${by}help: rightslice explain --reason ${first?.rule ?? 'CODE'}`
  return [...linesOf(refused), help].join('\n')
}

/** What the user is told about breaches that do not refuse the pod, one line each. */
export function breachWarnings(
  { warned, refused, exempt }: Extract<Verdict, { kind: 'judged' }>,
  as: 'is' | 'would'
): readonly string[] {
  const lifted = exempt.map(
    ({ breach: { rule }, exemption }) => `[${rule}] is lifted by GpuExemption ${showText(exemption)}`
  )
  const told = as === 'is' ? [] : linesOf(refused).map((line) => `rightslice: pods will be refused: ${line}`)
  const lines = [...told, ...[...linesOf(warned), ...lifted].map((line) => `rightslice: ${line}`)]
  return [...new Set(lines.map(cut))]
}

function cut(line: string): string {
  return line.length <= MAX_WARNING ? line : `${line.slice(0, MAX_WARNING - 3)}...`
}

/** Lines of the breaches: every rule, and of each rule the first containers. */
function linesOf(breaches: readonly Breach[]): readonly string[] {
  return [...Map.groupBy(breaches, ({ rule }) => rule)].flatMap(([rule, own]) => {
    const rest = own.length - MAX_PER_RULE
    const lines = own.slice(0, MAX_PER_RULE).map(breachLine)
    return rest > 0 ? [...lines, `[${rule}] and ${rest} more`] : lines
  })
}
