import { type NamedFinding, worstOf } from '../check/checks.ts'
import type { Clock } from '../ports/clock.ts'
import type { TextSink } from './convert.ts'

/** What `rightslice check` works with. */
export interface CheckCommand {
  /** One whole look at the installation. @throws AppError KUBE_UNREACHABLE, KUBE_REFUSED */
  readonly look: () => Promise<readonly NamedFinding[]>
  /** How long to wait until nothing fails; 0 looks once. */
  readonly waitMs: number
  /** Whether warnings fail too. */
  readonly strict: boolean
  readonly output: 'table' | 'json'
  readonly stdout: TextSink
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Pause between two looks while waiting, ms. */
const PAUSE_MS = 2_000

/** Exit code where something was found. */
const FOUND = 4

/** Prints what was found of the installation, at last. @returns the exit code: 4 when something fails, with `strict` also for warnings */
export async function runCheck(command: CheckCommand): Promise<number> {
  const findings = await lookUntilWell(command)
  const code = isWell(findings, command) ? 0 : FOUND
  command.stdout.write(command.output === 'json' ? renderCheckJson(findings) : renderCheck(findings, code))
  return code
}

async function lookUntilWell(command: CheckCommand): Promise<readonly NamedFinding[]> {
  const { look, waitMs, clock, signal } = command
  const endMs = clock.nowMs() + waitMs
  for (;;) {
    const findings = await look()
    if (isWell(findings, command) || signal.aborted || clock.nowMs() + PAUSE_MS > endMs) return findings
    await clock.sleep(PAUSE_MS, signal)
  }
}

function isWell(findings: readonly NamedFinding[], { strict }: Pick<CheckCommand, 'strict'>): boolean {
  const worst = worstOf(findings)
  return worst !== 'fail' && !(strict && worst === 'warn')
}

function renderCheck(findings: readonly NamedFinding[], code: number): string {
  const width = Math.max(...findings.filter(({ fix }) => fix !== undefined).map(({ text }) => text.length), 0)
  const lines = findings.map(({ level, text, fix }) =>
    fix === undefined
      ? ` ${level.padEnd(5)} ${text}`
      : ` ${level.padEnd(5)} ${text.padEnd(width)}  fix: ${fix}`
  )
  const worst = worstOf(findings)
  const hint = code === 0 && worst === 'warn' ? ' (warnings); use --strict to fail on warnings' : ''
  return `${[...lines, `exit code ${code}${hint}`].join('\n')}\n`
}

function renderCheckJson(findings: readonly NamedFinding[]): string {
  const list = {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'CheckList',
    summary: { worst: worstOf(findings) },
    items: findings
  }
  return `${JSON.stringify(list, null, 2)}\n`
}
