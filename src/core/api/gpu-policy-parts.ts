import { z } from 'zod'
import { intOrTextField, listSet, textField } from './crd-field.ts'
import {
  budgetRule,
  busyAboveRule,
  durationRule,
  headroomRule,
  priceRule,
  profileRule,
  scheduleRule,
  timeZoneRule
} from './gpu-policy-rules.ts'
import { policyDefaults } from './policy-defaults.ts'
import { type RuleCode, ruleCodes, ruleLevels, rules } from './rules.ts'

const profiles = z
  .array(z.string().meta(textField('Name of a MIG profile, such as 1g.10gb.', profileRule)))
  .max(64)

const namespaces = z
  .array(
    z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .describe('Name of a namespace.')
  )
  .max(1000)

const maxReplicas = z.int().min(2)

/** How MIG slices are chosen. */
export const MigPart = z
  .strictObject({
    allowedProfiles: profiles.optional().meta({
      description: 'MIG profiles that may be chosen; absent: every profile, empty: none.',
      ...listSet
    }),
    headroom: z
      .union([z.number(), z.string()])
      .optional()
      .meta(
        intOrTextField(
          `Share added to the measured peak before it is compared with the usable memory of a slice; default ${policyDefaults.headroom}.`,
          headroomRule
        )
      ),
    provisionable: profiles.optional().meta({
      description:
        'MIG profiles that count as offered although no node has them yet, because scaling up brings them; default none.',
      ...listSet
    })
  })
  .describe('How MIG slices are chosen.')

/** Who may share a GPU by time-slicing. */
export const TimeSlicingPart = z
  .strictObject({
    namespaces: namespaces.meta({
      description: 'Namespaces whose pods may be given a time-sliced replica.',
      ...listSet
    }),
    maxReplicas: maxReplicas.describe('Most replicas of one GPU, 2 or more.'),
    rename: z
      .boolean()
      .default(policyDefaults.rename)
      .describe(
        'Whether replicas are offered as nvidia.com/gpu.shared instead of nvidia.com/gpu; default true.'
      )
  })
  .describe('Who may share a GPU by time-slicing; absent: nobody.')

/** Who may share a GPU by MPS. */
export const MpsPart = z
  .strictObject({
    namespaces: namespaces.meta({
      description: 'Namespaces whose pods may be given an MPS replica.',
      ...listSet
    }),
    maxReplicas: maxReplicas.describe(
      'Most replicas of one GPU, 2 or more; each has that part of its memory.'
    )
  })
  .describe('Who may share a GPU by MPS; absent: nobody.')

/** How compute counts beside memory. */
export const ComputePart = z
  .strictObject({
    fit: z
      .enum(['Enforce', 'Ignore'])
      .default(policyDefaults.fit)
      .describe(
        'Whether a slice must also have the compute that was measured, plus a fifth; default Enforce.'
      ),
    busyAbove: z
      .string()
      .optional()
      .meta(
        textField(
          'Peak compute from which a workload keeps its whole GPU, as a ratio or percentage; default never.',
          busyAboveRule
        )
      )
  })
  .describe('How compute counts beside memory.')

/** Which history counts as evidence. */
export const HistoryPart = z
  .strictObject({
    lookback: z
      .string()
      .default(policyDefaults.lookback)
      .meta(textField('How far back peaks count, as a duration; default 14d.', durationRule)),
    minCoverage: z
      .string()
      .default(policyDefaults.minCoverage)
      .meta(textField('Least history that is acted on, as a duration; default 3d.', durationRule))
  })
  .describe('Which history counts as evidence.')

const level = z.enum(['Off', 'Warn', 'Enforce'])

/** What happens to pods at admission. */
export const AdmissionPart = z
  .strictObject({
    rewrite: level
      .optional()
      .describe(
        'Whether GPU requests are rewritten, only announced, or neither ("Off", in quotes); default Warn under Propose, else Enforce.'
      ),
    isolation: level
      .optional()
      .describe(
        'Whether pods that break isolation are refused, warned about, or neither ("Off", in quotes); default Warn under Propose, else Enforce.'
      ),
    onMissingCapacity: z
      .enum(['KeepWholeGpu', 'NextLarger', 'Wait'])
      .default(policyDefaults.onMissingCapacity)
      .describe('What a pod gets when every share that fits is taken; default KeepWholeGpu.'),
    onQuotaEscape: z
      .enum(['KeepWholeGpu', 'Allow'])
      .default(policyDefaults.onQuotaEscape)
      .describe('What a pod gets whose share no quota counts, but its whole GPU; default KeepWholeGpu.'),
    queued: z
      .enum(['KeepWholeGpu', 'Rewrite'])
      .default(policyDefaults.queued)
      .describe('What a pod gets that Kueue manages; Rewrite needs queues for shares; default KeepWholeGpu.'),
    toleratedTaints: z
      .array(
        z
          .string()
          .max(317)
          .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/)
          .describe('Key of a taint.')
      )
      .max(32)
      .default([])
      .meta({
        description:
          'Keys of taints of GPU nodes that a pod is made to tolerate when it gets a share there; default none.',
        ...listSet
      })
  })
  .describe('What happens to pods at admission.')

/** Levels of single isolation rules. */
export const IsolationRulesPart = z
  .strictObject(
    Object.fromEntries(ruleCodes.map((code) => [code, ruleLevel(code)])) as Record<
      RuleCode,
      ReturnType<typeof ruleLevel>
    >
  )
  .describe('Levels of single isolation rules; the lowest of namespace, admission.isolation and rule acts.')

function ruleLevel(code: RuleCode) {
  const { defaultLevel, summary } = rules[code]
  return z.enum(ruleLevels).optional().describe(`${summary} Default ${defaultLevel}.`)
}

/** One recurring window. */
export const WindowPart = z
  .strictObject({
    kind: z
      .enum(['Allow', 'Deny'])
      .default(policyDefaults.windowKind)
      .describe('Whether nodes may or must not be changed in it; Deny wins; default Allow.'),
    schedule: z
      .string()
      .meta(textField('When it opens, in five fields of cron, in the time zone.', scheduleRule)),
    duration: z.string().meta(textField('How long it stays open, as a duration.', durationRule)),
    timeZone: z.string().meta(textField('Time zone of the schedule: UTC or an IANA name.', timeZoneRule))
  })
  .describe('One recurring window.')

/** How many nodes may change at once. */
export const BudgetPart = z
  .strictObject({
    nodes: z
      .union([z.number(), z.string()])
      .meta(
        intOrTextField(
          'Most nodes that change at once, as a number or a percentage of the nodes of the policy.',
          budgetRule
        )
      )
  })
  .describe('One limit on how many nodes change at once.')

/** What teams may decide themselves. */
export const ExemptionsPart = z
  .strictObject({
    allowPin: z
      .boolean()
      .default(policyDefaults.allowPin)
      .describe('Whether the pin annotation of a pod is obeyed; default true.'),
    maxDuration: z
      .string()
      .default(policyDefaults.maxExemption)
      .meta(textField('Longest life of an exemption, as a duration; default 720h.', durationRule))
  })
  .describe('What teams may decide themselves.')

/** Where prices come from. */
export const PricingPart = z
  .strictObject({
    source: z
      .enum(['OpenCost', 'NodeAnnotation', 'Static'])
      .describe('Where the price of a GPU-hour comes from.'),
    currency: z
      .string()
      .max(3)
      .regex(/^[A-Z]{3}$/)
      .default(policyDefaults.currency)
      .describe('Currency of all prices, three letters of ISO 4217; default USD.'),
    staticPerGpuHour: z
      .record(z.string(), z.string().meta(textField('Price of one GPU-hour, in the currency.', priceRule)))
      .optional()
      .meta({
        description: 'Prices for the source Static, by the value of the node label nvidia.com/gpu.product.',
        maxProperties: 100
      })
  })
  .refine(({ source, staticPerGpuHour }) => source !== 'Static' || staticPerGpuHour !== undefined, {
    path: ['staticPerGpuHour'],
    message: 'must be given when source is Static'
  })
  .meta({
    description: 'Where prices come from; absent: nothing is priced.',
    'x-kubernetes-validations': [
      {
        rule: "self.source != 'Static' || has(self.staticPerGpuHour)",
        message: 'must be given when source is Static',
        fieldPath: '.staticPerGpuHour'
      }
    ]
  })
