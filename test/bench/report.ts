import { writeFileSync } from 'node:fs'
import { alignedTable } from '../../src/cli/table.ts'

/** One measured figure beside its goal; a figure without a goal is there to be seen. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly comparison?: '<=' | '>='
  readonly goal?: number
}

/** The goal of a figure, where there is one. */
export function goalOf(
  comparison: '<=' | '>=',
  goal: number | undefined
): Pick<Figure, 'comparison' | 'goal'> {
  return goal === undefined ? {} : { comparison, goal }
}

/** Whether a figure reaches its goal. */
export function isMet({ value, comparison, goal }: Figure): boolean | undefined {
  if (goal === undefined || comparison === undefined) return undefined
  return comparison === '<=' ? value <= goal : value >= goal
}

/** The figures as a table with the goal beside each. */
export function renderFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, unit, comparison, goal } = figure
    const met = isMet(figure)
    const verdict = met === true ? 'met' : 'missed'
    return [
      name,
      round(value),
      unit,
      goal === undefined ? '' : `${comparison ?? ''} ${goal}`,
      met === undefined ? '' : verdict
    ]
  })
  return alignedTable(['figure', 'value', 'unit', 'goal', ''], rows).join('\n')
}

function round(value: number): string {
  if (Number.isInteger(value)) return String(value)
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

/** Writes the figures as `[{name, value, unit, comparison, goal, met}]`. */
export function writeFigures(file: string, figures: readonly Figure[]): void {
  const entries = figures.map((figure) => ({
    name: figure.name,
    value: figure.value,
    unit: figure.unit,
    comparison: figure.comparison ?? null,
    goal: figure.goal ?? null,
    met: isMet(figure) ?? null
  }))
  writeFileSync(file, `${JSON.stringify(entries, null, 2)}\n`)
}

/** Value below which `ratio` of the samples lie. */
export function quantile(samples: readonly number[], ratio: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * ratio))] ?? 0
}
