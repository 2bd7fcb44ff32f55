import { type NodeView, readNode } from '../../src/core/cluster/node-view.ts'
import { decide } from '../../src/core/decision/decide.ts'
import type { Decision } from '../../src/core/decision/decision.ts'
import { warningsOf } from '../../src/core/decision/tell.ts'
import { isRecord } from '../../src/core/json.ts'
import { applyStrictly } from '../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../src/core/patch/operation.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { readSecurity } from '../../src/core/pod/security-view.ts'
import { workloadKey, workloadOf } from '../../src/core/pod/workload.ts'
import { defeatsOf } from '../../src/core/rules/defeats.ts'
import { breachWarnings, refusalMessage } from '../../src/core/rules/tell.ts'
import { judgeIsolation, type Verdict } from '../../src/core/rules/verdict.ts'
import { indexNodes, type NodeIndex } from '../../src/core/sharing/node-index.ts'
import { type CaseFile, recordOr } from './case-file.ts'
import { policyOf } from './policy-words.ts'
import type { Subject } from './subjects.ts'

/** What the engine made of one pod of a case. */
export interface Outcome {
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  /** The pod after admission. */
  readonly pod: unknown
  /** What the isolation rules say of the pod after admission. */
  readonly verdict: Verdict
  /** Everything that is said about it. */
  readonly said: string
}

/** The nodes of a case; those that say nothing of it are Ready. */
export function nodesOf(file: CaseFile): { readonly views: readonly NodeView[]; readonly index: NodeIndex } {
  const views = file.nodes.flatMap((raw) => readNode(toNode(raw)) ?? [])
  return { views, index: indexNodes(views) }
}

function toNode(raw: unknown): unknown {
  const { name, labels, taints, allocatable, capacity, unschedulable, ready } = recordOr(raw)
  const conditions = [{ type: 'Ready', status: ready === false ? 'False' : 'True' }]
  return {
    metadata: { name, labels },
    spec: { taints, unschedulable },
    status: { allocatable, capacity, conditions }
  }
}

/** Runs the real engine on one pod. Throws when the pod's own marks name another workload than the case does. */
export function runSubject(subject: Subject, nodes: NodeIndex): Outcome {
  const pod = readPod(subject.pod, subject.namespace.name)
  const workload = workloadOf(pod, () => undefined)
  const claimed = subject.workload
  const isDirect = claimed?.kind === 'Pod' || pod.owner === undefined || claimed === undefined
  if (!isDirect && (claimed.kind !== workload.kind || claimed.name !== workload.name)) {
    throw new Error(`history belongs to ${workloadKey(claimed)}, the pod to ${workloadKey(workload)}`)
  }
  const input = {
    operation: subject.operation,
    subResource: subject.subResource ?? '',
    pod,
    readDefeats: () => defeatsOf(pod, readSecurity(subject.pod)),
    namespace: subject.namespace,
    settings: {
      systemNamespaces: ['kube-system', 'gpu-operator', 'nvidia-gpu-operator', 'rightslice-system'],
      schedulers: ['default-scheduler']
    },
    policies: [policyOf(subject.policy, subject.namespace.name)],
    workload,
    usage: subject.usage,
    nodes,
    exemptions: [],
    nowMs: 0
  }
  const decision = decide(input)
  const patch = toJsonPatch(subject.pod, decision)
  const methods = decision.kind === 'rewrite' ? decision.methods : []
  const after = applyStrictly(subject.pod, patch, methods)
  const verdict = judgeIsolation({
    ...input,
    pod: readPod(after, subject.namespace.name),
    security: readSecurity(after),
    before: readSecurity(subject.oldPod)
  })
  const said = [
    decision.reason,
    decision.sentence,
    ...decision.notices,
    ...warningsOf(decision),
    ...saidOf(verdict)
  ].join('\n')
  return { decision, patch, pod: after, verdict, said }
}

function saidOf(verdict: Verdict): readonly string[] {
  if (verdict.kind === 'outside') return []
  const { refused, policy } = verdict
  return [
    ...(refused.length === 0 ? [] : [refusalMessage(refused, policy)]),
    ...breachWarnings(verdict, 'is')
  ]
}

/** GPU keys of each container's limits after admission, as strings. */
export function gpuOf(pod: unknown): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const view = readPod(pod, '')
  return Object.fromEntries(
    view.containers.map(({ name, limits }) => {
      const keys = Object.keys(limits ?? {}).filter((key) => /^(nvidia\.com\/|volcano\.sh\/vgpu-)/.test(key))
      return [name, Object.fromEntries(keys.sort().map((key) => [key, String(limits?.[key])]))]
    })
  )
}

/** Whether requests of GPU keys agree with limits, or were never there. */
export function requestsAgree(pod: unknown): boolean {
  return readPod(pod, '').containers.every(({ limits, requests }) =>
    Object.entries(requests ?? {}).every(
      ([key, value]) =>
        !key.startsWith('nvidia.com/') || (isRecord(limits) && String(limits[key]) === String(value))
    )
  )
}
