import { z } from 'zod'
import { textField } from './crd-field.ts'
import { durationRule } from './gpu-policy-rules.ts'
import { policyDefaults } from './policy-defaults.ts'

/** How many pods of a workload try a share before the others follow. */
export const CanaryPart = z
  .strictObject({
    pods: z
      .int()
      .min(1)
      .max(1000)
      .default(policyDefaults.canaryPods)
      .describe(
        'Most pods of a workload that get a share until those have stayed healthy, for each replica of the webhook; default 1.'
      ),
    healthyFor: z
      .string()
      .default(policyDefaults.healthyFor)
      .meta(
        textField(
          'How long they must have stayed healthy before the others follow; default 2h.',
          durationRule
        )
      )
  })
  .describe('How many pods of a workload try a share before the others follow; absent: all get it at once.')
