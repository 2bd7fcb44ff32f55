import type { JsonRecord } from '../../src/core/json.ts'
import type { PolicyReportStore, ReportGroup, ReportPlace } from '../../src/ports/policy-report-store.ts'

/** A store that keeps reports in memory. */
export class MemoryReports implements PolicyReportStore {
  /** Groups that are served, the preferred one first. */
  groups: readonly ReportGroup[]
  /** Writes in order: `apply openreports.io team-a`. */
  readonly calls: string[] = []
  /** Called before each write; may throw. */
  before: (() => void) | undefined
  readonly #reports = new Map<string, JsonRecord>()

  constructor(groups: readonly ReportGroup[]) {
    this.groups = groups
  }

  async served(): Promise<readonly ReportGroup[]> {
    return this.groups
  }

  async namespaces(group: ReportGroup): Promise<readonly string[]> {
    const own = [...this.#reports.keys()].map((key) => key.split(' '))
    return own.flatMap(([its, namespace = '']) => (its === group ? namespace : [])).sort()
  }

  async apply(place: ReportPlace, content: JsonRecord): Promise<void> {
    this.#note('apply', place)
    this.#reports.set(keyOf(place), content)
  }

  async remove(place: ReportPlace): Promise<void> {
    this.#note('remove', place)
    this.#reports.delete(keyOf(place))
  }

  read(group: ReportGroup, namespace: string): JsonRecord | undefined {
    return this.#reports.get(keyOf({ group, namespace }))
  }

  #note(what: string, place: ReportPlace): void {
    this.before?.()
    this.calls.push(`${what} ${keyOf(place)}`)
  }
}

function keyOf({ group, namespace }: ReportPlace): string {
  return `${group} ${namespace}`
}
