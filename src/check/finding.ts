import type { Installation } from './installation.ts'

/** How much a finding matters: `fail` means that something promised does not work, `warn` that a person should look. */
export const findingLevels = ['ok', 'info', 'warn', 'fail'] as const

/** One of `findingLevels`. */
export type FindingLevel = (typeof findingLevels)[number]

/** One line of what was found. */
export interface Finding {
  readonly level: FindingLevel
  /** Short and without a full stop; texts of others in it are cut and cleaned. */
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

/** Judges one side of an installation. */
export type Check = (installation: Installation) => readonly Finding[]
