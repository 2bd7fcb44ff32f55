import { showLine } from '../core/rules/show.ts'

/** Lines of a plain aligned table, the names of its columns first; whatever cells hold, each row is one line of printable ASCII. */
export function alignedTable(
  columns: readonly string[],
  cells: readonly (readonly string[])[]
): readonly string[] {
  const rows = cells.map((row) => row.map(showLine))
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0))
  )
  return [columns, ...rows].map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  )
}

/** Lines of the same as a Markdown table. */
export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[]
): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => showLine(cell).replaceAll(/[\\|]/g, '\\$&')).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)]
}
