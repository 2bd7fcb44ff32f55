import type { ClaimTemplate } from '../../src/core/cluster/devices/claim-template.ts'
import { type NodeView, readNode } from '../../src/core/cluster/node-view.ts'
import type { DecisionInput, DecisionSettings } from '../../src/core/decision/decision.ts'
import type { JsonRecord } from '../../src/core/json.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { readSecurity } from '../../src/core/pod/security-view.ts'
import { type OwnerLookup, workloadOf } from '../../src/core/pod/workload.ts'
import type { PolicyRead } from '../../src/core/policy/effective-policy.ts'
import type { NamespaceLimits } from '../../src/core/quota/namespace-limits.ts'
import { defeatsOf } from '../../src/core/rules/defeats.ts'
import { indexNodes } from '../../src/core/sharing/node-index.ts'
import type { WorkloadUsage } from '../../src/core/usage/usage.ts'
import { aMigNode } from './node.ts'
import { aPod } from './pod.ts'
import { aPolicy } from './policy.ts'
import { aUsage } from './usage.ts'

/** What an installation sets unless a test says otherwise. */
export const someSettings: DecisionSettings = {
  systemNamespaces: ['kube-system', 'gpu-operator', 'rightslice-system'],
  schedulers: ['default-scheduler']
}

/** What a test says about a decision. */
export interface InputSpec {
  /** Raw pod. */
  readonly pod?: unknown
  /** Raw nodes. */
  readonly nodes?: readonly JsonRecord[]
  /** Nodes as decisions see them, beside the raw ones: those for which drivers publish devices. */
  readonly views?: readonly NodeView[]
  /** Our templates for claims in the namespace. */
  readonly claimTemplates?: readonly ClaimTemplate[]
  readonly policies?: readonly PolicyRead[]
  /** undefined: nothing is known of the workload. */
  readonly usage?: WorkloadUsage | undefined
  readonly namespace?: string
  /** Beside `rightsize=enforce`. */
  readonly namespaceLabels?: Readonly<Record<string, string>>
  readonly operation?: string
  readonly subResource?: string
  readonly settings?: Partial<DecisionSettings>
  readonly lookup?: OwnerLookup
  readonly limits?: NamespaceLimits
  readonly ownerMark?: string
}

/** Time of every decision in tests, 2026-11-27T12:00:00Z. */
export const NOW_MS = 1_795_780_800_000

/**
 * Everything that a decision looks at. By default a pod of namespace `team-a`, which opted in, asks for one GPU; its
 * peak is 5200 MiB in 14 days; one H100 node offers seven slices 1g.10gb; the policy allows everything.
 */
export function anInput(spec: InputSpec = {}): DecisionInput {
  const name = spec.namespace ?? 'team-a'
  const raw = spec.pod ?? aPod()
  const pod = readPod(raw, name)
  return {
    operation: spec.operation ?? 'CREATE',
    subResource: spec.subResource ?? '',
    pod,
    readDefeats: () => defeatsOf(pod, readSecurity(raw)),
    namespace: namespaceOf(name, spec),
    settings: { ...someSettings, ...spec.settings },
    policies: spec.policies ?? [aPolicy()],
    exemptions: [],
    workload: workloadOf(pod, spec.lookup ?? (() => undefined)),
    usage: 'usage' in spec ? spec.usage : aUsage(),
    nodes: nodesOf(spec),
    ...boundsOf(spec),
    nowMs: NOW_MS
  }
}

function boundsOf({ limits, ownerMark }: InputSpec): Pick<DecisionInput, 'limits' | 'ownerMark'> {
  return limits === undefined ? { ownerMark } : { limits, ownerMark }
}

function namespaceOf(
  name: string,
  { namespaceLabels, claimTemplates = [] }: InputSpec
): DecisionInput['namespace'] {
  return { name, labels: { 'rightslice.dev/rightsize': 'enforce', ...namespaceLabels }, claimTemplates }
}

function nodesOf({ nodes = [aMigNode()], views = [] }: InputSpec): DecisionInput['nodes'] {
  return indexNodes([...nodes.map(viewOf), ...views])
}

/** The view of a raw node; a test that gives a node without a name fails at once. */
export function viewOf(raw: JsonRecord): NodeView {
  const node = readNode(raw)
  if (node !== undefined) return node
  throw new Error('a test gave a node without a name')
}
