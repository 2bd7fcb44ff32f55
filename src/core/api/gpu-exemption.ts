import { z } from 'zod'
import { Conditions, celRules, listSet, timeField } from './crd-field.ts'
import { ObjectMetadata } from './gpu-policy.ts'
import { LabelSelector } from './label-selector.ts'
import { API_GROUP, API_VERSION } from './names.ts'
import { type RuleCode, ruleCodes } from './rules.ts'

/** What an exemption may lift: giving shares, or an isolation rule; what Rightslice writes itself is for nobody else. */
export const exemptionRules = [
  'Rewrite',
  ...ruleCodes.filter((code) => code !== 'ReservedKeyChanged')
] as const satisfies readonly ('Rewrite' | RuleCode)[]

/** One thing that an exemption lifts. */
export type ExemptionRule = (typeof exemptionRules)[number]

const one = (values: readonly string[]): boolean => new Set(values).size === values.length

const GpuExemptionSpec = z
  .strictObject({
    rules: z
      .array(z.enum(exemptionRules).describe('Rewrite, or the code of an isolation rule.'))
      .min(1)
      .max(exemptionRules.length)
      .refine(one, { message: 'must not name a rule twice' })
      .meta({ description: 'What is lifted: Rewrite, or codes of isolation rules.', ...listSet }),
    workloadRef: z
      .strictObject({
        apiVersion: z.string().max(317).optional().describe('API group and version, such as apps/v1.'),
        kind: z.string().min(1).max(63).describe('Kind of the workload, such as Deployment.'),
        name: z
          .string()
          .min(1)
          .max(253)
          .regex(/^[A-Za-z0-9._-]+$/)
          .describe('Name of the workload.')
      })
      .optional()
      .describe('The workload whose pods are exempt, instead of selector.'),
    selector: LabelSelector.optional().describe(
      'Labels of the pods that are exempt, instead of workloadRef.'
    ),
    expires: timeField('When it ends; at the latest when the longest life that the policy allows is over.'),
    reason: z.string().min(1).max(512).describe('Why it is needed, for those who approve and audit.'),
    approval: z
      .strictObject({
        decision: z.enum(['Approved', 'Denied']).describe('Whether the exemption is granted.'),
        by: z
          .string()
          .min(1)
          .max(253)
          .describe('Name of the user who decided; the API server compares it with the caller.'),
        generation: z
          .int()
          .min(1)
          .optional()
          .describe('The metadata.generation of the exemption that was read and decided about.'),
        comment: z.string().max(512).optional().describe('What the approver wants to say.')
      })
      .optional()
      .describe(
        'Needed for every rule but Rewrite; written by somebody with the verb approve on gpuexemptions.'
      )
  })
  .refine(({ workloadRef, selector }) => (workloadRef === undefined) !== (selector === undefined), {
    message: 'needs either workloadRef or selector'
  })
  .meta({
    description: 'What is lifted, for whom and until when.',
    ...celRules({
      rule: 'has(self.workloadRef) != has(self.selector)',
      message: 'needs either workloadRef or selector'
    })
  })

const GpuExemptionStatus = z
  .object({
    observedGeneration: z.int().optional().describe('Generation of the spec that the status is about.'),
    ends: timeField(
      'When it really ends: what it asks for, or the longest life that the policy allows.'
    ).optional(),
    conditions: Conditions
  })
  .describe('What the controller found.')

/** A named exception from being given shares or from isolation rules, until a date; unknown keys are refused. */
export const GpuExemption = z.strictObject({
  apiVersion: z.literal(`${API_GROUP}/${API_VERSION}`).optional(),
  kind: z.literal('GpuExemption').optional(),
  metadata: ObjectMetadata.extend({ namespace: z.string().optional() }),
  spec: GpuExemptionSpec,
  status: GpuExemptionStatus.optional()
})

/** A GpuExemption as the API holds it. */
export type GpuExemption = z.infer<typeof GpuExemption>
