import type { DrainColumn } from './columns.ts'

/** Columns of which there are some. */
export type Counted = readonly { readonly column: DrainColumn; readonly count: number }[]
