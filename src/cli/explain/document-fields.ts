import { z } from 'zod'
import { reasonCodes } from '../../core/api/reasons.ts'

/** A text. */
export const text = (description: string): z.ZodString => z.string().describe(description)
/** An amount of memory. */
export const mib = (description: string): z.ZodNumber => z.number().describe(`${description}, MiB.`)
/** A share of something. */
export const ratio = (description: string): z.ZodNumber => z.number().describe(`${description}, 0 to 1.`)
/** Texts by key. */
export const textMap = (description: string): z.ZodRecord<z.ZodString, z.ZodString> =>
  z.record(z.string(), z.string()).describe(description)
/** A reason code. */
export const reason = z.enum(reasonCodes).describe('A reason code; docs/reasons has its page.')

/** Why something may not be used. */
export const Objection = z
  .object({ reason, sentence: text('The same with names and numbers.') })
  .describe('Why something may not be used.')
