import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The program as it is deployed, in a folder of its own. */
export interface BuiltProgram {
  /** File that Node is started with. */
  readonly cli: string
  readonly remove: () => void
}

/** The program as it stands in the sources; Node takes about a second longer to start it. */
export const sourceProgram: BuiltProgram = {
  cli: fileURLToPath(new URL('../../src/cli.ts', import.meta.url)),
  remove: () => undefined
}

/** Builds the program as an image holds it, beside the packages that are installed. */
export async function buildProgram(): Promise<BuiltProgram> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const dir = mkdtempSync(join(tmpdir(), 'bench-program-'))
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  copyFileSync(join(root, 'package.json'), join(dir, 'package.json'))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = ['-p', join(root, 'src'), '--outDir', join(dir, 'dist')]
  await promisify(execFile)(process.execPath, [compiler, ...project])
  return { cli: join(dir, 'dist', 'cli.js'), remove: () => rmSync(dir, { recursive: true }) }
}
