import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { addCounts, type Counts, type FileResult, TapReader } from './tap-lines.ts'

/** What a run of tap came to. */
export interface TapRun {
  readonly code: number | null
  readonly files: readonly FileResult[]
}

/**
 * Runs tap, and hands over each file's result as it comes.
 * @param args arguments of tap: files and flags
 * @param env variables besides those of this process
 */
export async function runTap(
  args: readonly string[],
  onFile: (result: FileResult) => void,
  env: Readonly<Record<string, string>> = {}
): Promise<TapRun> {
  const child = spawn('tap', ['--reporter=tap', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env }
  })
  const ended: Promise<(number | null)[]> = once(child, 'close')
  const handOn = (signal: NodeJS.Signals): void => {
    child.once('close', () => process.exit(1))
    child.kill(signal) // else its beds would run on
  }
  process.on('SIGTERM', handOn).on('SIGINT', handOn)
  const reader = new TapReader()
  const files: FileResult[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const result = reader.read(line)
    if (result === undefined) continue
    files.push(result)
    onFile(result)
  }
  const [code = null] = await ended
  process.off('SIGTERM', handOn).off('SIGINT', handOn)
  return { code, files }
}

/** One line on a file, and all that it printed where it failed. */
export function tellFile({ file, ok, counts, output }: FileResult): string {
  const line = `${ok ? 'ok    ' : 'FAILED'} ${file} (${tellCounts(counts)})`
  return ok ? line : [line, ...output].join('\n')
}

/** The counts of several files together. */
export function totalOf(results: readonly FileResult[]): Counts {
  return results.reduce((sum, { counts }) => addCounts(sum, counts), { passed: 0, failed: 0, skipped: 0 })
}

/** Such as `12 passed, 0 failed, 1 skipped`. */
export function tellCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}
