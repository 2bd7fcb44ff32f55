import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { AppError } from '../core/errors.ts'

/**
 * The text of a file; `-` is standard input.
 * @throws AppError FILE_INVALID when it cannot be read
 */
export async function readInput(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('FILE_INVALID', `${path} cannot be read: ${reason}`, { cause })
  }
}
