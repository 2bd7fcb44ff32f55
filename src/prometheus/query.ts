import { type MatrixRow, type Rows, readMatrix, readVector, type VectorRow } from './api-answer.ts'
import type { Asking } from './asking.ts'
import { type Fault, faultOf } from './fault.ts'
import { timeParameter } from './promql.ts'

/** Rows of a query, or the fault that stands in their place; `whole` is false when the server warned of missing data. */
export type QueryResult<T> =
  | { readonly kind: 'rows'; readonly rows: Rows<T>; readonly whole: boolean }
  | { readonly kind: 'fault'; readonly fault: Fault }

/** One row of an instant vector for each series. */
export function queryVector(asking: Asking, query: string, timeMs: number): Promise<QueryResult<VectorRow>> {
  return run(asking, { query, timeMs, read: readVector })
}

/** The samples of each series. */
export function queryMatrix(asking: Asking, query: string, timeMs: number): Promise<QueryResult<MatrixRow>> {
  return run(asking, { query, timeMs, read: readMatrix })
}

interface Run<T> {
  readonly query: string
  readonly timeMs: number
  readonly read: (data: unknown) => Rows<T> | undefined
}

async function run<T>(asking: Asking, { query, timeMs, read }: Run<T>): Promise<QueryResult<T>> {
  const form = { query, time: timeParameter(timeMs) }
  const envelope = await asking.ask({ method: 'POST', path: '/api/v1/query', form })
  if (envelope.kind === 'fault') return envelope
  for (const warning of envelope.warnings) asking.faults.add(faultOf('partial-answer', warning))
  const rows = read(envelope.data)
  if (rows !== undefined) return { kind: 'rows', rows, whole: envelope.warnings.length === 0 }
  const fault = faultOf('bad-answer', 'a query was answered with data of another type')
  asking.faults.add(fault)
  return { kind: 'fault', fault }
}

/** Enters a fault into the book that `Asking` left to the caller, when the caller cannot ask for less. */
export function noteUnsplit(asking: Asking, fault: Fault): void {
  if (isSplittable(fault)) asking.faults.add(fault)
}

/** Whether asking for less may help. */
export function isSplittable({ kind }: Fault): boolean {
  return kind === 'too-large' || kind === 'timeout'
}
