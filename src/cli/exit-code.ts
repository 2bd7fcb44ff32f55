import { CommanderError } from 'commander'
import { AppError, type ErrorCode } from '../core/errors.ts'
import type { TextSink } from './convert.ts'

/** Exit codes of every command: 1 an error of ours, 2 bad usage or a bad file, 3 the cluster or the metrics server cannot be reached. */
const codes: Partial<Readonly<Record<ErrorCode, number>>> = {
  USAGE_WRONG: 2,
  FILE_INVALID: 2,
  POLICY_INVALID: 2,
  CONFIG_INVALID: 2,
  CERTIFICATE_INVALID: 2,
  KUBE_UNREACHABLE: 3,
  KUBE_UNAVAILABLE: 3,
  KUBE_REFUSED: 3,
  SOURCE_UNREACHABLE: 3
}

/** The exit code for whatever ended a command. */
export function exitCodeOf(fault: unknown): number {
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? 0 : 2
  return fault instanceof AppError ? (codes[fault.code] ?? 1) : 1
}

/** Says what went wrong in one line; faults that nobody foresaw come with their stack. */
export function tellFault(fault: unknown, stderr: TextSink): void {
  if (fault instanceof CommanderError) return
  if (fault instanceof AppError) stderr.write(`error: ${fault.message}\n`)
  else stderr.write(`error: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}\n`)
}
