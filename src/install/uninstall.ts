import { namespaceLabels } from '../core/api/names.ts'
import { fieldOf, type JsonRecord, stringOf } from '../core/json.ts'

/** One step of an uninstall: why it comes now, and its commands. */
export interface UninstallStep {
  readonly sentence: string
  readonly commands: readonly string[]
}

/** Kinds outside any namespace, in the order in which they go, with the reason for the place in the order. */
const steps: readonly { readonly sentence: string; readonly kinds: readonly string[] }[] = [
  {
    sentence: 'Nobody is asked about pods any more, so none can be held up by what goes next.',
    kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
  },
  {
    sentence: 'The API server stops checking; a binding without its table would refuse pods.',
    kinds: ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy']
  },
  {
    sentence: 'The processes end, and with them all that they keep in their namespace.',
    kinds: ['Namespace']
  },
  { sentence: 'Nobody has their rights any more.', kinds: ['ClusterRoleBinding', 'ClusterRole'] },
  {
    sentence:
      'Every GpuPolicy, GpuExemption and GpuWorkload goes with its definition; leave this out to keep them.',
    kinds: ['CustomResourceDefinition']
  }
]

/** Commands that remove an installation, in the one order that holds up nobody's pods. Nothing of a workload or a node is touched. */
export function uninstallPlan(objects: readonly JsonRecord[]): readonly UninstallStep[] {
  const labels = Object.values(namespaceLabels).map((label) => `${label}-`)
  return [
    ...steps.map(({ sentence, kinds }) => ({
      sentence,
      commands: kinds.map((kind) => deletion(kind, namesOf(objects, kind)))
    })),
    {
      sentence: 'Labels by which namespaces opted in.',
      commands: [`kubectl label namespaces --all ${labels.join(' ')}`]
    }
  ]
}

function deletion(kind: string, names: readonly string[]): string {
  return `kubectl delete ${kind.toLowerCase()} ${names.join(' ')} --ignore-not-found`
}

function namesOf(objects: readonly JsonRecord[], kind: string): readonly string[] {
  return objects.flatMap((object) =>
    object['kind'] === kind ? [stringOf(fieldOf(object, 'metadata'), 'name') ?? ''] : []
  )
}

/** The plan as a script that a person reads first. */
export function uninstallText(plan: readonly UninstallStep[]): string {
  const parts = plan.map(
    ({ sentence, commands }, index) => `# ${index + 1}. ${sentence}\n${commands.join('\n')}\n`
  )
  return `${parts.join('\n')}
# Pods keep the share that they have; a workload asks for what its template says when it starts again.
# Where policy reports were kept: kubectl delete reports.openreports.io,policyreports.wgpolicyk8s.io -A -l app.kubernetes.io/managed-by=rightslice
`
}
