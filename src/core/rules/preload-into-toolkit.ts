import { celPattern } from '../api/cel.ts'
import { celVariables } from './cel-check.ts'
import { cleanPath } from './host-path.ts'
import { offendingVariables } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList } from './show.ts'

const loaderVariables: ReadonlySet<string> = new Set(['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH'])

const wayOut = 'use an absolute path outside /proc; the cure is toolkit 1.17.8 or later'

/**
 * Files that a program on the host would load by the container's environment. Allocators are named by an absolute path or
 * by their bare name and stay possible.
 * @source CVE-2025-23266
 */
export const preloadIntoToolkit = containerRule(
  'PreloadIntoToolkit',
  (container) => {
    const found = offendingVariables(container, loaderVariables, (text, name) =>
      entriesOf(text, name).every((entry) => isHonestLibrary(entry, name))
    )
    return found.length === 0
      ? undefined
      : {
          seen: `sets ${showList(found)}, a path that a hook on the host may follow (CVE-2025-23266)`,
          wayOut
        }
  },
  { offenders: celVariables(loaderVariables, dishonest()), wayOut }
)

function entriesOf(text: string, name: string): readonly string[] {
  return text.split(name === 'LD_PRELOAD' ? /[\s:]+/ : /:/).filter((entry) => entry !== '')
}

function isHonestLibrary(entry: string, name: string): boolean {
  if (entry.startsWith('/')) return !/^\/(proc|dev\/fd)(\/|$)/.test(cleanPath(entry))
  return name === 'LD_LIBRARY_PATH' ? !/(^|\/)proc\//.test(entry) : !entry.includes('/')
}

/** The same for texts without `..`, by the separators of each variable. */
function dishonest(): string {
  const space = String.raw`\s\pZ\x{FEFF}`
  const absolute = (between: string): string =>
    String.raw`(?:^|[${between}])/+(?:\./+)*(?:proc|dev/+(?:\./+)*fd)(?:[/${between}]|$)`
  const relative = (between: string): string => `(?:^|[${between}])[^/${between}][^${between}]*/`
  const matches = (pattern: string): string => `e.value.matches(${celPattern(pattern)})`
  return `has(e.value) && !e.value.contains('..') && (e.name == 'LD_PRELOAD'
    ? ${matches(`${absolute(`:${space}`)}|${relative(`:${space}`)}`)}
    : e.name == 'LD_AUDIT'
    ? ${matches(`${absolute(':')}|${relative(':')}`)}
    : ${matches(`${absolute(':')}|(?:^|:)(?:[^:/][^:]*/)?proc/`)})`.replaceAll(/\s+/g, ' ')
}
