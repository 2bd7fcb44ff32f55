import type { BedVersion } from '../bed/kubernetes-version.ts'
import { type TapRun, tellCounts, totalOf } from './run-tap.ts'
import type { Counts, Skip } from './tap-lines.ts'

/** What the tests came to on one release of Kubernetes. */
export interface VersionReport {
  readonly version: BedVersion
  /** What stopped them before they began; then nothing was counted. */
  readonly fault: string | undefined
  readonly seconds: number
  readonly counts: Counts
  readonly failedFiles: readonly string[]
  readonly skipped: readonly (Skip & { readonly file: string })[]
  /** Something passed and nothing failed. */
  readonly isGood: boolean
}

/** The report of a run of tap. */
export function reportOf(version: BedVersion, { code, files }: TapRun, seconds: number): VersionReport {
  const counts = totalOf(files)
  return {
    version,
    fault: undefined,
    seconds,
    counts,
    failedFiles: files.filter(({ ok }) => !ok).map(({ file }) => file),
    skipped: files.flatMap(({ file, skips }) => skips.map((skip) => ({ ...skip, file }))),
    isGood: code === 0 && counts.failed === 0 && counts.passed > 0
  }
}

/** The report of a release whose tests could not begin. */
export function reportOfFault(version: BedVersion, fault: string): VersionReport {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  return { version, fault, seconds: 0, counts, failedFiles: [], skipped: [], isGood: false }
}

/** For people: counts of each release, then what failed and what was skipped, by name. */
export function renderReports(reports: readonly VersionReport[]): string {
  return reports.flatMap(linesOf).join('\n')
}

function linesOf({ version, fault, seconds, counts, failedFiles, skipped }: VersionReport): string[] {
  if (fault !== undefined) return [`Kubernetes ${version}: not tested: ${fault}`]
  return [
    `Kubernetes ${version}: ${tellCounts(counts)} (${seconds} s)`,
    ...failedFiles.map((file) => `  failed   ${file}`),
    ...skipped.map(({ file, name, why }) => `  skipped  ${file}: ${name}: ${why}`)
  ]
}
