import { z } from 'zod'
import { Conditions, listMap, timeField } from './crd-field.ts'
import { ObjectMetadata } from './gpu-policy.ts'
import { Sizings } from './gpu-workload-sizing.ts'
import { API_GROUP, API_VERSION } from './names.ts'

/** Quantities as we write them: not negative, binary or decimal suffix. */
const QUANTITY_PATTERN = '^[0-9]{1,18}([.][0-9]{1,9})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$'

const DURATION_PATTERN = '^([0-9]{1,6}[dhms]){1,4}$'

const quantity = (description: string): z.ZodUnion<readonly [z.ZodNumber, z.ZodString]> =>
  z.union([z.number(), z.string()]).meta({
    description,
    'x-kubernetes-int-or-string': true,
    pattern: QUANTITY_PATTERN,
    minimum: 0
  })

const percentage = (description: string): z.ZodString =>
  z
    .string()
    .max(8)
    .regex(/^(100([.]0+)?|[0-9]{1,2}([.][0-9]+)?)%$/)
    .describe(description)

const Share = {
  resource: z.string().describe('Resource name of the share, such as nvidia.com/mig-1g.10gb.'),
  share: z
    .string()
    .optional()
    .describe('Name of a share that keeps the resource name of a whole GPU, such as mig-1g.10gb.'),
  usable: quantity('Memory that a container can really use in it.').optional()
}

/** What is known about the GPU use of one container of a workload. */
export const WorkloadContainer = z
  .object({
    name: z.string().max(63).describe('Name of the container.'),
    image: z.string().optional().describe('Image that the history is about.'),
    current: z.string().optional().describe('GPU resource that it asks for now, such as nvidia.com/gpu.'),
    requested: z
      .record(z.string(), quantity('Count of the resource.'))
      .optional()
      .meta({ description: 'GPU resources that its template asks for.', maxProperties: 32 }),
    peakMemory: quantity('Highest GPU memory seen in the lookback.').optional(),
    peakMemoryAt: timeField('When the highest memory was seen.').optional(),
    peakCompute: percentage('Highest share of the compute of the device that was busy.').optional(),
    computeMetric: z
      .string()
      .optional()
      .describe('Metric that the compute comes from, such as DCGM_FI_PROF_GR_ENGINE_ACTIVE.'),
    deviceMemory: quantity('Memory of the device or slice on which it was measured.').optional(),
    evidence: z
      .enum(['Own', 'Censored', 'SelfSizing', 'SharedDevice'])
      .default('Own')
      .describe(
        'What the peak is worth: the own need, cut off by a full slice, chosen by the program itself, or that of all sharers of a device; default Own.'
      ),
    history: z
      .object({
        from: timeField('Time of the first sample.').optional(),
        coverage: z
          .string()
          .max(32)
          .regex(new RegExp(DURATION_PATTERN))
          .describe('How much time the samples cover, as a duration such as 13d22h.'),
        samples: z.int().min(0).optional().describe('Number of samples.')
      })
      .optional()
      .describe('How much history there is.'),
    needed: quantity('Memory that a share must have: the peak and the headroom.').optional(),
    sizeFloor: quantity(
      'Least memory of a share for now: a smaller size has not held for long enough, or was too small lately.'
    ).optional(),
    obstacle: z
      .enum(['NoHistory', 'SelfSizing', 'Censored', 'UnderOneSeason', 'RanOutOfMemory'])
      .optional()
      .describe(
        'Why the container keeps its whole GPU for now, however low its use; absent when it may get a share.'
      ),
    fits: z.object(Share).optional().describe('Smallest share that fits.'),
    nextSmallerRejected: z
      .object({ ...Share, message: z.string().optional().describe('Why it does not fit, in a sentence.') })
      .nullable()
      .optional()
      .describe('The next smaller share and why it does not fit; null when there is none.'),
    sizing: Sizings
  })
  .describe('What is known about one container.')

const GpuWorkloadStatus = z
  .object({
    observedGeneration: z.int().optional().describe('Generation of the spec that the status is about.'),
    policy: z.string().optional().describe('Name of the policy that governs it.'),
    containers: z
      .array(WorkloadContainer)
      .max(64)
      .optional()
      .meta({ description: 'What is known about each container that uses a GPU.', ...listMap('name') }),
    decision: z
      .object({
        reason: z.string().max(64).describe('Reason code of the last decision.'),
        message: z.string().optional().describe('The same in a sentence.')
      })
      .optional()
      .describe('The last decision about it.'),
    scraped: z
      .string()
      .max(200_000)
      .optional()
      .describe(
        'Daily maxima that the controller scraped itself, as JSON for its own use: at most 128 series of 28 days.'
      ),
    knownPods: z
      .string()
      .max(16_000)
      .optional()
      .describe(
        'Pods whose samples the controller has to tell apart after a restart, as JSON for its own use: at most 64.'
      ),
    fallback: z
      .object({
        share: z.string().max(63).describe('Share that pods waited for, such as mig-1g.10gb.'),
        since: timeField('When it was given up.'),
        until: timeField('Until when pods keep whole GPUs.'),
        times: z.int().min(1).max(1000).describe('How often that happened; each time it lasts longer.')
      })
      .optional()
      .describe(
        'Set when pods waited for their share for too long: the workload gets whole GPUs for a while.'
      ),
    canary: z
      .object({
        share: z.string().max(63).describe('Share that is tried, such as mig-1g.10gb.'),
        state: z
          .enum(['Trial', 'Passed', 'Failed'])
          .describe('Whether it is still being tried, may be given to all pods, or to none for now.'),
        since: timeField('Since when that is so.'),
        until: timeField('Until when a failed share is not tried again.').optional(),
        message: z.string().max(1024).optional().describe('Why, in a sentence.')
      })
      .optional()
      .describe('How the first pods with a share do; only where the policy has a canary.'),
    conditions: Conditions
  })
  .describe('What was measured and decided.')

/** Peaks, recommendation and last decision of one workload; unknown keys are dropped, so that a newer controller can add some. */
export const GpuWorkload = z.object({
  apiVersion: z.literal(`${API_GROUP}/${API_VERSION}`).optional(),
  kind: z.literal('GpuWorkload').optional(),
  metadata: ObjectMetadata.extend({ namespace: z.string().optional() }),
  spec: z
    .object({
      workloadRef: z
        .object({
          apiVersion: z
            .string()
            .max(317)
            .optional()
            .describe('API group and version of the workload, such as apps/v1.'),
          kind: z.string().min(1).max(63).describe('Kind of the workload, such as Deployment.'),
          name: z.string().min(1).max(253).describe('Name of the workload.'),
          role: z
            .string()
            .min(1)
            .max(253)
            .optional()
            .describe('Part of a workload of unlike pods, such as a Ray worker group or a replica type.')
        })
        .describe('The workload that it is about, in the same namespace.')
    })
    .describe('What it is about.'),
  status: GpuWorkloadStatus.optional()
})

/** A GpuWorkload with the defaults of its schema filled in. */
export type GpuWorkload = z.infer<typeof GpuWorkload>
