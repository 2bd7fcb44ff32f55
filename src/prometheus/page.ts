import type { OwnerLabels } from '../core/usage/dialect.ts'
import type { Matcher } from './promql.ts'

/** A part of a metric's series: those of some namespaces, those of none, or all; perhaps only of some GPUs. */
export interface Page {
  /** Undefined: all series. Empty: those without a namespace. */
  readonly namespaces: readonly string[] | undefined
  /** Last characters that the GPU's UUID may have; undefined: any. `others` is for every other character. */
  readonly uuidEnds: readonly string[] | undefined
}

/** Last characters of a UUID, and `others`. */
const allEnds: readonly string[] = [...'0123456789abcdef'.split(''), 'others']

/** Pages of at most `size` namespaces and one for the series without; one of everything when there is no owner label. */
export function firstPages(
  family: OwnerLabels | undefined,
  namespaces: readonly string[],
  size: number
): readonly Page[] {
  if (family === undefined) return [{ namespaces: undefined, uuidEnds: undefined }]
  const pages: Page[] = []
  for (let from = 0; from < namespaces.length; from += size) {
    pages.push({ namespaces: namespaces.slice(from, from + size), uuidEnds: undefined })
  }
  return [...pages, { namespaces: [], uuidEnds: undefined }]
}

/**
 * The page in two parts: by namespace as long as it has several, then by the end of the GPU's UUID.
 * @returns none when it cannot be split
 */
export function splitPage(page: Page, canSplitByUuid: boolean): readonly Page[] {
  const { namespaces, uuidEnds = allEnds } = page
  if (namespaces !== undefined && namespaces.length > 1) {
    return halves(namespaces).map((half) => ({ ...page, namespaces: half }))
  }
  if (!canSplitByUuid || uuidEnds.length < 2) return []
  return halves(uuidEnds).map((half) => ({ ...page, uuidEnds: half }))
}

function halves<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}

/** The conditions that select a page's series. */
export function pageMatchers(
  { namespaces, uuidEnds }: Page,
  family: OwnerLabels | undefined,
  uuidLabel: string | undefined
): readonly Matcher[] {
  const matchers: Matcher[] = []
  if (family !== undefined && namespaces !== undefined) {
    const label = family.namespace
    matchers.push(namespaces.length === 0 ? { label, is: '' } : { label, oneOf: namespaces })
  }
  if (uuidLabel !== undefined && uuidEnds !== undefined) {
    matchers.push(endMatcher(uuidLabel, uuidEnds))
  }
  return matchers
}

function endMatcher(label: string, ends: readonly string[]): Matcher {
  if (!ends.includes('others')) return { label, endsIn: bothCases(ends) }
  return { label, endsIn: bothCases(allEnds.filter((end) => !ends.includes(end))), not: true }
}

function bothCases(ends: readonly string[]): string {
  return ends.map((end) => (/[a-f]/.test(end) ? `${end}${end.toUpperCase()}` : end)).join('')
}
