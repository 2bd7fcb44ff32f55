/** Lines of a plain aligned table, the names of its columns first. */
export function alignedTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[]
): readonly string[] {
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
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)]
}
