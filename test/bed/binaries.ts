import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { buildBinaries, isExecutable, type Tell } from './build-binaries.ts'
import { type BinaryPaths, CONTROL_PLANE, controlPlaneGroup } from './control-plane-group.ts'
import { bedVersion, type WantedVersion } from './kubernetes-version.ts'
import { HELM, type HelmPaths, PROMETHEUS, type ProgramGroup, type PrometheusPaths } from './program-group.ts'

const run = promisify(execFile)

/** The programs of one group, or one sentence that says how to get them. */
export type Found<Paths> =
  | {
      readonly kind: 'found'
      readonly from: 'KUBEBUILDER_ASSETS' | 'PATH' | 'go'
      readonly paths: Paths
    }
  | { readonly kind: 'missing'; readonly how: string }

type Refused = { readonly kind: 'refused'; readonly why: string }

/**
 * Finds the five programs of a control plane: in the folder KUBEBUILDER_ASSETS, then in PATH, else built with Go and
 * cached. A place counts only when it holds all five and Kubernetes is new enough; where BED_KUBERNETES names
 * a release, only when Kubernetes is of this release.
 * @param tell receives progress lines; standard error by default
 * @param wanted the release; by default the one that this variable names
 * @throws Error when Go is there and the build fails
 */
export async function findBinaries(
  tell: Tell = tellOnStderr,
  { version, isNamed }: WantedVersion = bedVersion()
): Promise<Found<BinaryPaths>> {
  return findGroup(controlPlaneGroup(version, isNamed), tell)
}

/** Finds prometheus and promtool, in the same places and by the same rule. */
export function findPrometheus(tell: Tell = tellOnStderr): Promise<Found<PrometheusPaths>> {
  return findGroup(PROMETHEUS, tell)
}

/** Finds helm, in the same places and by the same rule. */
export function findHelm(tell: Tell = tellOnStderr): Promise<Found<HelmPaths>> {
  return findGroup(HELM, tell)
}

async function findGroup<N extends string>(
  group: ProgramGroup<N>,
  tell: Tell
): Promise<Found<Readonly<Record<N, string>>>> {
  const refusals: string[] = []
  for (const place of await placesToLook(group)) {
    const result = await judge(group, place)
    if (result.kind === 'found') return { kind: 'found', from: place.from, paths: result.paths }
    refusals.push(`${place.from}: ${result.why}`)
  }
  if (process.env['KUBEBUILDER_ASSETS'] && group.name === CONTROL_PLANE) {
    tell(`test bed: ${refusals[0] ?? ''}`)
  }
  const goFile = await findInPath('go')
  if (goFile === undefined) return { kind: 'missing', how: howToGet(group, refusals) }
  return { kind: 'found', from: 'go', paths: await buildBinaries(group, goFile, tell) }
}

function tellOnStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}

function howToGet<N extends string>(
  { programs, versionOf, oldest, newest, anyVersion }: ProgramGroup<N>,
  refusals: readonly string[]
): string {
  const wanted = `${versionOf} ${oldest.join('.')}${newest === undefined ? ' or newer' : ''}`
  const version = anyVersion.length === programs.length ? '' : ` (${wanted})`
  return (
    `the test bed needs ${programs.join(', ')}${version}: ` +
    'install Go (https://go.dev/dl) and they are built once, or name a folder that holds them all in ' +
    `KUBEBUILDER_ASSETS, or put them in PATH. Looked in ${refusals.join('; ')}; go: not in PATH`
  )
}

type Place<N extends string> = {
  readonly from: 'KUBEBUILDER_ASSETS' | 'PATH'
  readonly fileOf: (program: N) => string | undefined
}

async function placesToLook<N extends string>(group: ProgramGroup<N>): Promise<readonly Place<N>[]> {
  const assets = process.env['KUBEBUILDER_ASSETS']
  const inPath = new Map<N, string>()
  for (const name of group.programs) {
    const file = await findInPath(name)
    if (file !== undefined) inPath.set(name, file)
  }
  const places: Place<N>[] = [{ from: 'PATH', fileOf: (name) => inPath.get(name) }]
  if (assets) places.unshift({ from: 'KUBEBUILDER_ASSETS', fileOf: (name) => join(assets, name) })
  return places
}

async function judge<N extends string>(
  group: ProgramGroup<N>,
  { fileOf }: Place<N>
): Promise<{ kind: 'found'; paths: Readonly<Record<N, string>> } | Refused> {
  const missing: N[] = []
  for (const name of group.programs) {
    const file = fileOf(name)
    if (file === undefined || !(await isExecutable(file))) missing.push(name)
  }
  if (missing.length > 0) return { kind: 'refused', why: `no ${missing.join(', no ')}` }
  const paths = group.fill((name) => fileOf(name) ?? name)
  for (const name of group.programs) {
    const why = await whyUnfit(group, name, paths[name])
    if (why !== undefined) return { kind: 'refused', why }
  }
  return { kind: 'found', paths }
}

async function whyUnfit<N extends string>(
  { versionArgs, anyVersion, oldest, newest }: ProgramGroup<N>,
  name: N,
  file: string
): Promise<string | undefined> {
  let output: string
  try {
    output = (await run(file, [...versionArgs[name]], { timeout: 10_000 })).stdout
  } catch (error) {
    return `${file} does not tell its version (${error instanceof Error ? error.message : String(error)})`
  }
  if (anyVersion.includes(name)) return undefined
  const release = releaseIn(output)
  if (compare(release, oldest) < 0) return `${file} says "${firstLine(output)}", too old`
  if (newest !== undefined && compare(release, newest) > 0)
    return `${file} says "${firstLine(output)}", too new`
  return undefined
}

type Release = readonly [major: number, minor: number]

/** Reads `Kubernetes v1.36.3` and kubectl's `Client Version: v1.36.3`; what tells no version is older than any. */
function releaseIn(output: string): Release {
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)\./.exec(output) ?? []
  return [Number(major), Number(minor)]
}

function compare([major, minor]: Release, [otherMajor, otherMinor]: Release): number {
  return major - otherMajor || minor - otherMinor
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

async function findInPath(name: string): Promise<string | undefined> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(directory, name)
    if (directory !== '' && (await isExecutable(file))) return file
  }
  return undefined
}
