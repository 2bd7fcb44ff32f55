import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** One line of a trace by the names of its columns. */
export type TraceRow = Readonly<Record<string, string>>

/**
 * Lines of a trace (.csv, .csv.gz) in a folder that the caller names; nothing of it is kept here.
 * @throws when the file is not there
 */
export function readTraceRows(directory: string, file: string): readonly TraceRow[] {
  const bytes = readFileSync(join(directory, file))
  return traceRowsOf((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
}

/** Lines of a table with a header; cells hold no commas. */
export function traceRowsOf(text: string): readonly TraceRow[] {
  const [header = '', ...lines] = text.trim().split('\n')
  const names = header.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [names[index] ?? '', cell]))
  )
}
