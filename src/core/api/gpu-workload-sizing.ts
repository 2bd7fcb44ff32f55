import { z } from 'zod'
import { listMap, timeField } from './crd-field.ts'

const mebibytes = (description: string): z.ZodInt => z.int().min(0).describe(description)

/**
 * What the controller has to remember of one container on one GPU model so that sizes do not flip, also over restarts. Bounded: at
 * most 7 checks and 4 step-ups a model, and 8 models, together under 8 KiB a container.
 */
export const ContainerSizing = z
  .object({
    model: z.string().max(253).describe('Product label of the GPU model; empty where it is not known.'),
    heldMiB: mebibytes(
      'Usable memory of the size in force, MiB; absent while it is the whole GPU.'
    ).optional(),
    changedAt: timeField('When the size last changed.').optional(),
    checkedTo: timeField('End of the last day that was checked.').optional(),
    checks: z
      .array(
        z
          .object({
            day: timeField('Start of the day.'),
            peakMiB: mebibytes('Peak that was known at its end, MiB.')
          })
          .describe('What one check found.')
      )
      .max(7)
      .optional()
      .describe('Daily checks in a row; a size shrinks only after as many as it takes.'),
    stepUps: z
      .array(
        z
          .object({
            at: timeField('When it was seen.'),
            failedMiB: mebibytes('Usable memory of the share that was too small, MiB.'),
            evidence: z
              .enum(['message', 'exit-at-ceiling', 'near-ceiling'])
              .describe(
                'What showed it: words of the program, an exit at the ceiling, or use near the ceiling.'
              ),
            image: z.string().describe('Image that it happened to.')
          })
          .describe('A share that turned out to be too small.')
      )
      .max(4)
      .optional()
      .describe('Shares that turned out to be too small.')
  })
  .describe('What the controller remembers of one container on one GPU model.')

/** What the controller remembers of one container on one GPU model. */
export type ContainerSizing = z.infer<typeof ContainerSizing>

/** Schema of the field that holds it, one entry a GPU model. */
export const Sizings = z
  .array(ContainerSizing)
  .max(8)
  .optional()
  .meta({ description: 'What the controller remembers, by GPU model.', ...listMap('model') })
