import { z } from 'zod'
import { mib, Objection, ratio, text } from './document-fields.ts'

/** A container that asks for GPUs: what it asks for, used and needs. */
export const ContainerDocument = z
  .object({
    name: text('Name of the container.'),
    asksFor: z.record(z.string(), z.number()).describe('What it asks for in GPUs, by resource.'),
    history: z
      .object({
        peakMiB: mib('Highest use of GPU memory'),
        deviceMiB: mib('Memory of the device that it ran on').optional(),
        coverageSeconds: z.number().describe('Time that the samples cover, seconds.'),
        evidence: z
          .enum(['own', 'censored', 'self-sizing', 'shared-device'])
          .describe('How far the peak may be trusted.'),
        peakCompute: ratio('Highest use of compute').optional(),
        computeMetric: text('Metric that compute was read from.').optional(),
        sizeFloorMiB: mib('Least memory of a share for now').optional()
      })
      .optional()
      .describe('What was measured; absent: nothing.'),
    need: z
      .object({
        neededMiB: mib('Memory that a share must have'),
        headroomRatio: ratio('Share added to the peak'),
        raisedBy: z
          .enum(['peak', 'min-memory', 'size-floor'])
          .describe(
            'What the need comes from: peak and headroom, the floor of the pod, or a size that is still held.'
          ),
        neededCompute: ratio('Least share of the compute of a GPU').optional()
      })
      .optional()
      .describe('What a share must have; absent where that is not known.'),
    unknownBecause: Objection.optional().describe('Why the history is no evidence.')
  })
  .describe('A container that asks for GPUs.')

/** One of them. */
export type ContainerDocument = z.infer<typeof ContainerDocument>
