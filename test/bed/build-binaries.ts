import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, chmod, constants, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withBuildLock } from './build-lock.ts'
import type { ProgramGroup } from './program-group.ts'

/** Writes one line of progress for a person. */
export type Tell = (line: string) => void

/**
 * Builds what is missing of a group's programs from the module that pins them, into the user's cache folder.
 * The folder is named by the hash of go.mod, go.sum and the flags; a second call finds everything there.
 * @param goFile path of the Go command
 * @throws Error with the end of Go's output when a build fails
 */
export async function buildBinaries<N extends string>(
  group: ProgramGroup<N>,
  goFile: string,
  tell: Tell
): Promise<Readonly<Record<N, string>>> {
  const flags = await group.flags()
  const directory = join(cacheHome(), 'rightslice', 'bed', await hashOfInputs(group, flags))
  const paths = group.fill((name) => join(directory, name))
  if ((await missingIn(group, paths)).length === 0) return paths
  await mkdir(directory, { recursive: true })
  await withBuildLock(
    directory,
    async () => {
      const missing = await missingIn(group, paths)
      for (const [index, name] of missing.entries()) {
        const progress = `${index + 1} of ${missing.length}`
        await buildOne({ group, name, progress, directory, goFile, flags, tell })
      }
    },
    (holder) => tell(`test bed: another run (${holder}) is building, waiting for it`)
  )
  return paths
}

/** Tells whether `file` may be executed by this user. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function missingIn<N extends string>(
  group: ProgramGroup<N>,
  paths: Readonly<Record<N, string>>
): Promise<N[]> {
  const found = await Promise.all(group.programs.map((name) => isExecutable(paths[name])))
  return group.programs.filter((_, index) => !found[index])
}

type BuildStep<N extends string> = {
  readonly group: ProgramGroup<N>
  readonly name: N
  readonly progress: string
  readonly directory: string
  readonly goFile: string
  readonly flags: readonly string[]
  readonly tell: Tell
}

/** Go writes into a folder of its own; the finished program then appears under its name in one step. */
async function buildOne<N extends string>(step: BuildStep<N>): Promise<void> {
  const { group, name, progress, directory, goFile, flags, tell } = step
  const target = await mkdtemp(join(directory, 'build-'))
  const startedMs = Date.now()
  const elapsed = (): string => `${Math.round((Date.now() - startedMs) / 1000)} s`
  const ticker = setInterval(() => tell(`test bed: still building ${name}, ${elapsed()}`), 15_000)
  ticker.unref()
  tell(
    `test bed: building ${name} (${progress}; a first build of ${group.name} takes ${group.firstBuild} on 2 cores)`
  )
  try {
    const args = ['build', ...flags, '-o', `${target}/`, group.packages[name]]
    await runGo(goFile, args, group.moduleDirectory)
    const [built] = await readdir(target) // Go names it after the last part of the package, `server` for etcd
    if (built === undefined) throw new Error(`go built nothing from ${group.packages[name]}`)
    await chmod(join(target, built), 0o755)
    await rename(join(target, built), join(directory, name))
    tell(`test bed: built ${name} in ${elapsed()}`)
  } finally {
    clearInterval(ticker)
    await rm(target, { recursive: true, force: true })
  }
}

function runGo(goFile: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = spawn(goFile, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const killGo = (): void => void go.kill('SIGKILL')
    let output = ''
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000)
    }
    go.stdout.on('data', keep)
    go.stderr.on('data', keep)
    process.once('exit', killGo)
    go.once('error', reject)
    go.once('close', (code, signal) => {
      process.off('exit', killGo)
      if (code === 0) resolve()
      else reject(new Error(`go ${args.at(-1) ?? ''} ended with ${signal ?? code}:\n${output}`))
    })
  })
}

async function hashOfInputs<N extends string>(
  { moduleDirectory }: ProgramGroup<N>,
  flags: readonly string[]
): Promise<string> {
  const hash = createHash('sha256')
  for (const name of ['go.mod', 'go.sum']) hash.update(await readFile(join(moduleDirectory, name)))
  return hash.update(JSON.stringify(flags)).digest('hex').slice(0, 16)
}

function cacheHome(): string {
  return process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
}
