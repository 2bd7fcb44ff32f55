import { z } from 'zod'
import { CanaryPart } from './canary-part.ts'
import { Conditions, celRules, textField, timeField } from './crd-field.ts'
import {
  AdmissionPart,
  BudgetPart,
  ComputePart,
  ExemptionsPart,
  HistoryPart,
  IsolationRulesPart,
  MigPart,
  MpsPart,
  PricingPart,
  TimeSlicingPart,
  WindowPart
} from './gpu-policy-parts.ts'
import { durationRule, windowRule } from './gpu-policy-rules.ts'
import { LabelSelector } from './label-selector.ts'
import { methodNames } from './method-names.ts'
import { API_GROUP, API_VERSION } from './names.ts'
import { policyDefaults } from './policy-defaults.ts'

const methods = z
  .array(z.enum(methodNames).describe('Name of a way to share.'))
  .min(1)
  .max(methodNames.length)
  .refine((names) => new Set(names).size === names.length, { message: 'must not name a method twice' })
  .optional()
  .meta({
    description: 'Ways to share that may be used, best first; absent: every one that the nodes offer.',
    ...celRules({ rule: 'self.all(a, self.exists_one(b, a == b))', message: 'must not name a method twice' })
  })

/** What the admin wants. */
export const GpuPolicySpec = z
  .strictObject({
    kind: z
      .literal('Sharing')
      .default(policyDefaults.kind)
      .describe('What the policy is about; Sharing is the only value today.'),
    mode: z
      .enum(['Propose', 'Approve', 'Automatic'])
      .default(policyDefaults.mode)
      .describe(
        'Whether changes are only proposed, wait for approval, or happen in the window; default Propose.'
      ),
    suspend: z
      .boolean()
      .default(policyDefaults.suspend)
      .describe('Whether the policy is switched off; default false.'),
    priority: z
      .int()
      .default(policyDefaults.priority)
      .describe(
        'Which policy governs where several match: the highest number, then the first name; default 0.'
      ),
    namespaceSelector: LabelSelector.optional().describe(
      'Namespaces whose pods it governs, among those that opted in; absent: all of them.'
    ),
    nodeSelector: z
      .record(z.string(), z.string().max(63).describe('Value that the node label must have.'))
      .optional()
      .describe('Labels of the nodes that it governs; absent: every node.'),
    methods,
    mig: MigPart.optional(),
    timeSlicing: TimeSlicingPart.optional(),
    mps: MpsPart.optional(),
    compute: ComputePart.optional(),
    window: z
      .string()
      .optional()
      .meta(
        textField('The one window in which nodes may be changed, such as "Sat 02:00-06:00 UTC".', windowRule)
      ),
    windows: z
      .array(WindowPart)
      .min(1)
      .max(32)
      .optional()
      .describe('Windows in which nodes may or must not be changed, instead of window.'),
    history: HistoryPart.optional(),
    admission: AdmissionPart.optional(),
    rescueAfter: z
      .string()
      .default(policyDefaults.rescueAfter)
      .meta(
        textField(
          'How long a pod may wait for its share before its workload gets whole GPUs again, as a duration; default 5m.',
          durationRule
        )
      ),
    canary: CanaryPart.optional(),
    isolationRules: IsolationRulesPart.optional(),
    budgets: z
      .array(BudgetPart)
      .min(1)
      .max(3)
      .optional()
      .describe('Limits on how many nodes change at once; all of them hold.'),
    exemptions: ExemptionsPart.optional(),
    pricing: PricingPart.optional()
  })
  .meta({
    description: 'What the admin wants.',
    ...celRules(
      {
        rule: '!(has(self.window) && has(self.windows))',
        message: 'must not be given together with window',
        fieldPath: '.windows'
      },
      {
        rule: "self.mode != 'Automatic' || has(self.window) || has(self.windows)",
        message: 'Automatic needs window or windows',
        fieldPath: '.mode'
      }
    )
  })

const GpuPolicyStatus = z
  .object({
    observedGeneration: z.int().optional().describe('Generation of the spec that the status is about.'),
    conditions: Conditions,
    admission: z.string().optional().describe('Level at which pods are rewritten now: Off, Warn or Enforce.'),
    matchedNodes: z.int().optional().describe('Nodes that the policy governs.'),
    candidates: z.int().optional().describe('Workloads that would fit a smaller share.'),
    freeableGpus: z.int().optional().describe('GPUs that could be freed.'),
    freeableMonthly: z
      .string()
      .optional()
      .describe('Price of these GPUs for a month, in the currency of the policy.'),
    nextWindow: z
      .object({ start: timeField('When it opens.'), end: timeField('When it closes.') })
      .optional()
      .describe('The window that is open now, else the next one.')
  })
  .describe('What the controller found.')

/** Metadata of which we read the name and the generation; everything else passes. */
export const ObjectMetadata = z.looseObject({
  name: z.string().min(1),
  generation: z.int().optional()
})

/** The admin's policy for a set of nodes and namespaces; unknown keys are refused. */
export const GpuPolicy = z.strictObject({
  apiVersion: z.literal(`${API_GROUP}/${API_VERSION}`).optional(),
  kind: z.literal('GpuPolicy').optional(),
  metadata: ObjectMetadata,
  spec: GpuPolicySpec,
  status: GpuPolicyStatus.optional()
})

/** A GpuPolicy with the defaults of its schema filled in. */
export type GpuPolicy = z.infer<typeof GpuPolicy>
