import { decide } from '../../core/decision/decide.ts'
import type { Decision, DecisionInput, DecisionSettings } from '../../core/decision/decision.ts'
import { quotaCountsOfPod } from '../../core/decision/quota-counts.ts'
import { asCreated, isSameAnswer, readWritten, type Written } from '../../core/explain/as-created.ts'
import { type Trace, traceOf } from '../../core/explain/trace.ts'
import type { JsonRecord } from '../../core/json.ts'
import { applyStrictly } from '../../core/patch/apply.ts'
import type { PatchOperation } from '../../core/patch/operation.ts'
import { toJsonPatch } from '../../core/patch/to-json-patch.ts'
import type { TemplatedPod } from '../../core/pod/pod-template.ts'
import { readPod } from '../../core/pod/pod-view.ts'
import { replicaGroupOf } from '../../core/pod/replica-group.ts'
import { workloadOf } from '../../core/pod/workload.ts'
import { judgeIsolation, type Verdict } from '../../core/rules/verdict.ts'
import type { ClusterState } from '../../gather/cluster-state.ts'
import { gatherDecisionInput } from '../../gather/decision-input.ts'
import { podsOf, type Scene, type ScenePod, sceneWithout } from '../../gather/explain/scene.ts'
import { gatherIsolationInput } from '../../gather/isolation-input.ts'
import { readPodRecord } from '../../gather/pod-record.ts'

/** What would happen to one pod, and why. */
export interface Explanation {
  /** What was asked about. */
  readonly subject: { readonly kind: string; readonly namespace: string; readonly name: string }
  readonly input: DecisionInput
  readonly decision: Decision
  readonly trace: Trace
  readonly patch: readonly PatchOperation[]
  /** What the isolation rules say of the pod after the patch; undefined where not all of the pod is known. */
  readonly verdict: Verdict | undefined
  /** What the webhook wrote on the pod that was asked about, or on the youngest of a workload; undefined where there is none. */
  readonly written: Written | undefined
  /** Living pods of the workload, the youngest first; without the pod itself where that was asked about. */
  readonly mates: readonly ScenePod[]
  /** Every living pod that counts as there. */
  readonly others: readonly ScenePod[]
}

/** What explanations look at besides the pod. */
export interface ExplainScope {
  readonly scene: Scene
  readonly settings: DecisionSettings
  readonly nowMs: number
}

/**
 * A living pod as one that is made anew, in the place of the one that is there.
 * @param selected node labels that its template selects; absent: it is not known
 */
export function explainLivingPod(
  pod: ScenePod,
  scope: ExplainScope,
  selected?: Readonly<Record<string, string>>
): Explanation {
  const { namespace, name } = pod.view
  const subject = { kind: 'Pod', namespace, name }
  const asked = { subject, source: pod, written: readWritten(pod.raw), given: pod }
  return likeWritten(asCreated(pod.raw, selected), asked, { ...scope, scene: sceneWithout(scope.scene, pod) })
}

/** A further pod like the youngest of a workload, whose other pods stay. */
export function explainNextOf(
  pod: ScenePod,
  subject: Explanation['subject'],
  scope: ExplainScope
): Explanation {
  return likeWritten(asCreated(pod.raw), { subject, source: pod, written: readWritten(pod.raw) }, scope)
}

/** A pod that the API server gave out, of which nothing is known but what it says. */
export function explainStoredPod(
  raw: unknown,
  subject: Explanation['subject'],
  scope: ExplainScope
): Explanation {
  return likeWritten(asCreated(raw), { subject, written: readWritten(raw) }, scope)
}

/** The pod that a template makes, or a pod of a file. */
export function explainTemplate(pod: TemplatedPod, namespace: string, scope: ExplainScope): Explanation {
  const subject = { kind: pod.kind, namespace: pod.namespace ?? namespace, name: pod.name }
  const { ownerMark } = pod
  return explain({ subject, object: pod.pod, ...(ownerMark === undefined ? {} : { ownerMark }) }, scope)
}

interface Asked {
  readonly subject: Explanation['subject']
  /** The pod as it comes to the webhook. */
  readonly object: JsonRecord
  /** The living pod that it was made from; absent for a template. */
  readonly source?: ScenePod
  readonly written?: Written | undefined
  readonly ownerMark?: string
  /** A living pod whose place it takes. */
  readonly given?: ScenePod
}

/** Of the pods that a pod may have been, the first that would get again what is written on it; else the first. */
function likeWritten(
  originals: readonly JsonRecord[],
  asked: Omit<Asked, 'object'>,
  scope: ExplainScope
): Explanation {
  const { written } = asked
  const [first = {}, ...others] = originals
  const told = explain({ ...asked, object: first }, scope)
  if (written === undefined || isSameAnswer(written, told.decision)) return told
  for (const object of others) {
    const other = explain({ ...asked, object }, scope)
    if (isSameAnswer(written, other.decision)) return other
  }
  return told
}

function explain(asked: Asked, { scene, settings, nowMs }: ExplainScope): Explanation {
  const { subject, object, source, written, ownerMark } = asked
  const { namespace } = subject
  const { state } = scene
  const arrival = {
    operation: 'CREATE',
    subResource: '',
    namespace,
    object,
    nowMs,
    ...(ownerMark === undefined ? {} : { ownerMark })
  }
  const gathered = gatherDecisionInput(arrival, state, settings)
  const mates = podsOf(
    scene,
    namespace,
    workloadOf(readPod(object, namespace), state.controllerOf.bind(state))
  )
  const input = adjusted(gathered, { asked, mates, state })
  const decision = decide(input)
  const patch = toJsonPatch(object, decision)
  const isWhole = source?.isWhole ?? true
  const judged = (): Verdict => {
    const after = applyStrictly(object, patch, decision.kind === 'rewrite' ? decision.methods : [])
    return judgeIsolation(gatherIsolationInput({ ...arrival, object: after }, state, settings))
  }
  const verdict = isWhole ? judged() : undefined
  const trace = traceOf(input)
  const [youngest] = subject.kind === 'Pod' ? [] : mates
  const carried = written ?? (youngest === undefined ? undefined : readWritten(youngest.raw))
  return { subject, input, decision, trace, patch, verdict, written: carried, mates, others: scene.pods }
}

/** What a snapshot does not tell by itself, and what the pod would not find if it were made now. */
function adjusted(
  input: DecisionInput,
  {
    asked: { source, given },
    mates,
    state
  }: { readonly asked: Asked; readonly mates: readonly ScenePod[]; readonly state: ClusterState }
): DecisionInput {
  const [youngest] = mates
  const { limits } = input
  const breaks = source === undefined || source.isWhole ? undefined : readPodRecord(source.raw)?.defeats
  return {
    ...input,
    heardMs: undefined, // what is looked at was read for this answer
    ...(source === undefined && youngest !== undefined
      ? { siblings: state.siblings(replicaGroupOf(youngest.view)) }
      : {}),
    ...(breaks === undefined ? {} : { readDefeats: () => breaks }),
    ...(given === undefined || limits === undefined ? {} : { limits: withoutPod(limits, given) })
  }
}

/** The limits once the pod is gone: what quotas count of it is free again. */
function withoutPod(
  limits: NonNullable<DecisionInput['limits']>,
  { view }: ScenePod
): NonNullable<DecisionInput['limits']> {
  const freed = Object.entries(quotaCountsOfPod(view, limits)).map(([key, count]) => [
    key,
    (limits.inFlight[key] ?? 0) - count
  ])
  return { ...limits, inFlight: { ...limits.inFlight, ...Object.fromEntries(freed) } }
}
