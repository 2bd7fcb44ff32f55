import { celPattern } from '../api/cel.ts'
import { celVariables } from './cel-check.ts'
import { cleanPath } from './host-path.ts'
import { offendingVariables } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList } from './show.ts'

const loaderVariables: ReadonlySet<string> = new Set(['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH'])

const wayOut =
  'use an absolute path of the image, not below /proc, /dev, /run or /var/lib; the cure is toolkit 1.17.8 or later'

/** Folders of the host, seen from a hook, into which a tenant may have written: of kubelet, of container runtimes, of processes. */
const writableFolders = [
  'proc',
  'dev',
  'run',
  'var/run',
  'var/snap',
  'var/lib/(?:kubelet|containerd|docker|rancher|k0s|crio)'
]

const writable = new RegExp(`^/(?:${writableFolders.join('|')})(?:/|$)`)

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
  if (entry.startsWith('/')) return !writable.test(cleanPath(entry))
  return name !== 'LD_LIBRARY_PATH' && !entry.includes('/')
}

/** The same for texts without `..`, by the separators of each variable. */
function dishonest(): string {
  const space = String.raw`\s\pZ\x{FEFF}`
  const dots = String.raw`/+(?:\./+)*`
  const below = writableFolders.map((folder) => folder.replaceAll('/', dots)).join('|')
  const absolute = (between: string): string => `(?:^|[${between}])${dots}(?:${below})(?:[/${between}]|$)`
  const withFolder = (between: string): string => `(?:^|[${between}])[^/${between}][^${between}]*/`
  const matches = (...patterns: readonly string[]): string =>
    `e.value.matches(${celPattern(patterns.join('|'))})`
  const preloaded = matches(absolute(`:${space}`), withFolder(`:${space}`))
  const audited = matches(absolute(':'), withFolder(':'))
  const searched = matches(absolute(':'), '(?:^|:)[^:/]')
  return `has(e.value) && !e.value.contains('..') && (e.name == 'LD_PRELOAD' ? ${preloaded} : e.name == 'LD_AUDIT' ? ${audited} : ${searched})`
}
