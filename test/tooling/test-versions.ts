import { globSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findBinaries } from '../bed/binaries.ts'
import { type BedVersion, VERSION_NAMES, VERSION_VARIABLE } from '../bed/kubernetes-version.ts'
import { runTap, tellFile } from './run-tap.ts'
import { renderReports, reportOf, reportOfFault, type VersionReport } from './version-report.ts'

const usage = `Usage: npm run test:versions -- [--only RELEASE]... [--json FILE] [TEST-FILE...]

Runs the tests on a real control plane (by default all of them) on each supported end of Kubernetes: ${VERSION_NAMES.join(' and ')}. Prints a
line for each file, then counts by release, and what was skipped and why. A release is built on its first run (10 to 15 minutes on 2 cores).

  --only RELEASE  this release alone; may be given again
  --json FILE     writes the counts and the names there`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    help: { type: 'boolean' }
  }
})
const unknown = values.only.filter((name) => !VERSION_NAMES.some((version) => version === name))

if (values.help === true) {
  console.log(usage)
} else if (unknown.length > 0) {
  console.error(`no release ${unknown.join(', ')}: there are ${VERSION_NAMES.join(' and ')}`)
  process.exitCode = 2
} else {
  const files = positionals.length > 0 ? positionals : bedFiles()
  const versions = VERSION_NAMES.filter((name) => values.only.length === 0 || values.only.includes(name))
  const reports: VersionReport[] = []
  for (const version of versions) reports.push(await testOn(version, files))
  console.log(`\n${renderReports(reports)}`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(reports, undefined, 2)}\n`)
  process.exitCode = reports.every(({ isGood }) => isGood) ? 0 : 1
}

/** Every test file that may start a bed. */
function bedFiles(): readonly string[] {
  return globSync(['test/e2e/**/*.test.ts', 'test/bed/**/*.test.ts', 'test/**/*.bed.test.ts']).toSorted()
}

async function testOn(version: BedVersion, files: readonly string[]): Promise<VersionReport> {
  const startedMs = Date.now()
  const elapsed = (): number => Math.round((Date.now() - startedMs) / 1000)
  console.log(`\nKubernetes ${version}: ${files.length} files`)
  const fault = await whyNotBuilt(version)
  if (fault !== undefined) return reportOfFault(version, fault)
  let done = 0
  const run = await runTap(
    files,
    (result) => {
      done += 1
      console.log(`${version} ${String(elapsed()).padStart(5)} s ${done}/${files.length} ${tellFile(result)}`)
    },
    { [VERSION_VARIABLE]: version }
  )
  return reportOf(version, run, elapsed())
}

/** Gets the programs of a release before its tests begin: without them the tests would only be skipped. */
async function whyNotBuilt(version: BedVersion): Promise<string | undefined> {
  try {
    const found = await findBinaries(undefined, { version, isNamed: true })
    return found.kind === 'missing' ? found.how : undefined
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault)
  }
}
