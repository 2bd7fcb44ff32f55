import { z } from 'zod'
import { methodNames } from '../../core/api/method-names.ts'
import { ruleCodes } from '../../core/api/rules.ts'
import { ContainerDocument } from './container-document.ts'
import { ratio, reason, text, textMap } from './document-fields.ts'
import { ShareDocument } from './share-document.ts'

const Change = z
  .object({
    container: text('Name of the container.'),
    share: text('Short name of the share, such as mig-1g.10gb.'),
    resource: text('Extended resource by which the share is known.'),
    asks: z
      .record(z.string(), z.number())
      .describe('What the container asks for instead of a whole GPU, by resource.'),
    nodeLabels: textMap('Node labels that the pod selects for it.')
  })
  .describe('The share that one container gets.')

const Policy = z
  .object({
    name: text('Name of the GpuPolicy.'),
    standing: z
      .enum(['governs', 'outranked', 'suspended', 'invalid', 'other-namespaces', 'other-nodes'])
      .describe('How it stands to the pod.'),
    why: text('The same in words.')
  })
  .describe('A GpuPolicy and how it stands to the pod.')

const Rules = z
  .object({
    name: text('Name of the GpuPolicy.'),
    mode: z.enum(['Propose', 'Approve', 'Automatic']).describe('Mode of the policy.'),
    rewrite: z.enum(['off', 'warn', 'enforce']).describe('Level at which it rewrites.'),
    headroomRatio: ratio('Share added to the peak'),
    onMissingCapacity: z
      .enum(['KeepWholeGpu', 'NextLarger', 'Wait'])
      .describe('What a pod gets when every share that fits is taken.'),
    methods: z.array(z.enum(methodNames)).optional().describe('Ways to share that it allows; absent: all.'),
    allowedProfiles: z.array(z.string()).optional().describe('MIG profiles that it allows; absent: all.')
  })
  .describe('What the governing policy says.')

const BrokenRule = z
  .object({
    rule: z.enum(ruleCodes).describe('Code of the rule; docs/rules has its page.'),
    sentence: text('What breaks it, and the way out.')
  })
  .describe('An isolation rule that the pod breaks.')

/** The answer about one pod, or about the next pod of a workload, as JSON; the text is written from the same. */
export const ExplanationDocument = z
  .object({
    kind: z.literal('Explanation').describe('Kind of the document.'),
    subject: z
      .object({ kind: text('Its kind.'), namespace: text('Its namespace.'), name: text('Its name.') })
      .describe('What was asked about.'),
    workload: text('Workload under which the history is kept, as KIND/NAME or KIND/NAME/ROLE.'),
    decision: z.enum(['rewrite', 'keep']).describe('What would happen to the pod if it were made now.'),
    reason,
    summary: text('What the reason code means.'),
    sentence: text('The same with names and numbers.'),
    notices: z.array(z.string()).describe('What the user should know besides.'),
    warnings: z.array(z.string()).describe('What kubectl would print.'),
    changes: z.array(Change).describe('What containers get.'),
    proposed: z.array(Change).describe('What they would get if namespace and policy did not only propose.'),
    namespace: z
      .object({
        rightsize: z.enum(['off', 'warn', 'enforce']).describe('Level of the namespace.'),
        isolation: z
          .enum(['hardware', 'shared-ok'])
          .describe('Whether its pods may share memory and faults with others.')
      })
      .describe('What the labels of the namespace say.'),
    policies: z.array(Policy).describe('Every policy, the one that governs first.'),
    rules: Rules.optional().describe('What the governing policy says; absent where none governs.'),
    containers: z.array(ContainerDocument).describe('Containers that ask for GPUs.'),
    shares: z
      .array(ShareDocument)
      .describe('What nodes in reach offer, in the order of preference, then what is refused.'),
    pods: z
      .array(
        z
          .object({
            has: text('Share, or what they ask for.'),
            reason: reason.optional().describe('Reason that is written on them; absent where none is.'),
            pods: z.number().describe('How many there are.'),
            names: z.array(z.string()).describe('Some of their names.')
          })
          .describe('Pods that have the same.')
      )
      .describe('Living pods of the workload; of a pod, its siblings.'),
    fallback: z
      .object({
        share: text('Share that pods waited for in vain.'),
        until: text('Until when they keep whole GPUs.')
      })
      .optional()
      .describe('Set after pods waited for too long.'),
    canary: z
      .object({
        share: text('Share that is tried.').optional(),
        state: z.enum(['not-started', 'trial', 'passed', 'failed']).describe('How it goes.'),
        until: text('Until when a failed share is not tried again.').optional(),
        message: text('Why it failed.').optional(),
        pods: z.number().optional().describe('How many pods try a share first.'),
        healthyForSeconds: z.number().optional().describe('For how long, seconds.')
      })
      .optional()
      .describe('Whether some pods try a share before the others.'),
    isolation: z
      .object({
        keepsApart: z
          .array(z.string())
          .describe('What is and what is not kept apart with the share, in words.'),
        judged: z
          .boolean()
          .describe('Whether the isolation rules were asked; a snapshot leaves out what they look at.'),
        refused: z.array(BrokenRule).describe('Rules for which the pod is refused.'),
        warned: z.array(BrokenRule).describe('Rules that are only told.')
      })
      .describe('What keeps the pod and its neighbours apart.'),
    written: z
      .object({
        decision: reason,
        sentence: text('The sentence on the pod.'),
        snapshot: text('Version of the evidence at that time.'),
        share: text('Label of the share.').optional(),
        evidenceChanged: z.boolean().describe('Whether what is known has changed since.'),
        sameAnswer: z.boolean().describe('Whether a pod would get the same if it were made now.')
      })
      .optional()
      .describe('What the webhook wrote on the pod, or on the youngest pod of the workload.'),
    snapshot: text('Version of the evidence that this answer rests on.'),
    waysOut: z.array(z.string()).describe('How to change the outcome, one line each.'),
    patch: z
      .array(z.record(z.string(), z.unknown()))
      .describe('What the webhook would answer, as JSON Patch.')
  })
  .describe('What would happen to one pod, and why.')

/** One answer. */
export type ExplanationDocument = z.infer<typeof ExplanationDocument>

/** Everything that one command answers, as JSON. */
export const ExplanationList = z
  .object({
    apiVersion: z.literal('cli.rightslice.dev/v1alpha1').describe('Version of the document.'),
    kind: z.literal('ExplanationList').describe('Kind of the document.'),
    generatedAt: text('When it was answered.'),
    cluster: text('What was looked at: an API server, a snapshot file, or the bundled cluster.'),
    items: z.array(ExplanationDocument).describe('One for each pod or workload that was asked about.')
  })
  .describe('The answer of rightslice explain -o json.')

/** Everything that one command answers. */
export type ExplanationList = z.infer<typeof ExplanationList>

/** The JSON Schema of the answer, as text. */
export function explanationSchema(): string {
  const schema = z.toJSONSchema(ExplanationList, { target: 'draft-7', reused: 'inline' })
  return `${JSON.stringify({ ...schema, title: 'ExplanationList' }, null, 2)}\n`
}
