import { z } from 'zod'
import { methodNames } from '../../core/api/method-names.ts'
import { separations } from '../../core/sharing/method.ts'
import { mib, Objection, ratio, text, textMap } from './document-fields.ts'

/** A share that nodes in reach offer, and what speaks for and against it. */
export const ShareDocument = z
  .object({
    share: text('Short name of the share.'),
    method: z.enum(methodNames).describe('Way to share.'),
    resource: text('Extended resource that a container asks for.'),
    nodeLabels: textMap('Node labels that the pod would select for it.'),
    usableMiB: mib('Memory that it holds').optional(),
    computeRatio: ratio('Its part of the compute of a GPU').optional(),
    separation: z.enum(separations).describe('What it keeps apart.'),
    isolates: text('The same in words.'),
    chosenFor: z.array(z.string()).describe('Containers that get it.'),
    refused: Objection.optional().describe('Why policy, namespace or pod forbid it.'),
    overLimit: Objection.optional().describe('Why a quota or LimitRange forbids it.'),
    fits: z
      .array(
        z
          .object({
            container: text('Name of the container.'),
            verdict: z
              .enum([
                'fits',
                'too-small',
                'over-limit',
                'too-little-compute',
                'memory-unknown',
                'compute-unknown'
              ])
              .describe('How it compares with the need.'),
            inWords: text('The same with numbers.')
          })
          .describe('How it compares with one container.')
      )
      .describe('How it compares with the containers whose need is known.'),
    capacity: z
      .object({
        offered: z.number().describe('Allocatable on nodes that the pod can reach.'),
        bound: z.number().describe('Asked for by pods on these nodes.'),
        waiting: z.number().describe('Asked for by pods without a node.'),
        free: z.number().describe('What is left.'),
        heldBy: z.array(z.string()).describe('Some of the pods that hold it, as NAMESPACE/NAME.')
      })
      .optional()
      .describe('How many there are; absent where that is not known.')
  })
  .describe('A share that nodes in reach offer, and what speaks for and against it.')

/** One of them. */
export type ShareDocument = z.infer<typeof ShareDocument>
