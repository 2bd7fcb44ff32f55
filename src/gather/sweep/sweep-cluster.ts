import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NamespaceSweep } from '../../core/audit/finding.ts'
import { auditRunningPod } from '../../core/audit/running-pod.ts'
import { type AuditedPod, NamespaceTally } from '../../core/audit/tally.ts'
import { AppError } from '../../core/errors.ts'
import { fieldAt, fieldOf, stringOf } from '../../core/json.ts'
import { type ClaimUse, claimsOf, withClaimedVolumes } from '../../core/pod/persistent-volume.ts'
import { readPod } from '../../core/pod/pod-view.ts'
import { readSecurity } from '../../core/pod/security-view.ts'
import { templateKeyOf } from '../../core/pod/template-key.ts'
import { topOwner, workloadOf } from '../../core/pod/workload.ts'
import type { PageReader } from '../../ports/page-reader.ts'
import type { NamespaceView } from '../cluster-state.ts'
import { type BoundVolumes, readBoundVolumes } from './bound-volumes.ts'
import type { SweepFault } from './sweep-fault.ts'
import type { SweepScope } from './sweep-scope.ts'

/** Pods that are judged in one turn of the event loop. */
const BATCH = 10

/** What a sweep found. */
export interface SweepResult {
  /** In the order of the scope; a namespace of which nothing could be read is not among them. */
  readonly namespaces: readonly NamespaceSweep[]
  readonly faults: readonly SweepFault[]
}

/**
 * Judges every pod that runs in the namespaces of the scope, a page at a time. PersistentVolumes are read once, when the first pod
 * with a claim is met. What cannot be read is a fault of the result; when the cluster cannot be reached, the rest is not asked for.
 * @throws the signal's reason when it aborts
 */
export async function sweepCluster(
  reader: PageReader,
  scope: SweepScope,
  signal: AbortSignal
): Promise<SweepResult> {
  const namespaces: NamespaceSweep[] = []
  const faults: SweepFault[] = []
  const volumes = onceAsked(() => readBoundVolumes(reader, scope.namespaces, signal))
  for (const namespace of scope.namespaces) {
    signal.throwIfAborted()
    try {
      namespaces.push(await sweepNamespace({ reader, scope, namespace, volumes, signal }))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      faults.push({ what: 'pods', namespace: namespace.name, error })
      if (error.code === 'KUBE_UNREACHABLE') break
    }
  }
  const bound = await volumes.known()
  if (bound?.kind === 'unread')
    faults.push({ what: 'persistentvolumes', namespace: undefined, error: bound.error })
  return { namespaces, faults }
}

interface NamespaceReading {
  readonly reader: PageReader
  readonly scope: SweepScope
  readonly namespace: NamespaceView
  readonly volumes: Once<BoundVolumes>
  readonly signal: AbortSignal
}

async function sweepNamespace(reading: NamespaceReading): Promise<NamespaceSweep> {
  const { reader, namespace, volumes, signal } = reading
  const tally = new NamespaceTally(namespace.name)
  let isWhole = true
  const onPage = async (objects: readonly unknown[]): Promise<void> => {
    for (const [index, raw] of objects.entries()) {
      if (index % BATCH === 0) await nextTurn()
      const claims = claimsOf(raw)
      const bound = claims.length === 0 ? none : await volumes.ask()
      isWhole &&= bound.kind === 'read'
      const audited = auditPod(raw, { ...reading, claims, bound })
      if (audited !== undefined) tally.add(audited)
    }
  }
  await reader.read({ kind: 'pods', namespace: namespace.name }, onPage, signal)
  return tally.result(isWhole)
}

const none: BoundVolumes = { kind: 'read', volumeOf: () => undefined }

/** undefined for a pod that has ended, or that is not looked at. */
function auditPod(
  raw: unknown,
  {
    scope,
    namespace,
    claims,
    bound
  }: NamespaceReading & { readonly claims: readonly ClaimUse[]; readonly bound: BoundVolumes }
): AuditedPod | undefined {
  const phase = fieldAt(raw, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return undefined
  const { policies, nodes, settings, ownerOf, nowMs } = scope
  const metadata = fieldOf(raw, 'metadata')
  const pod = readPod(raw, namespace.name)
  const workload = workloadOf(pod, ownerOf)
  const uid = stringOf(metadata, 'uid') ?? ''
  const volumeOf = (claim: string) =>
    bound.kind === 'read' ? bound.volumeOf(namespace.name, claim) : undefined
  const audit = auditRunningPod({
    pod,
    security: withClaimedVolumes(readSecurity(raw), claims, volumeOf),
    namespace,
    settings,
    policies: policies.map(({ read }) => read),
    nodes,
    exemptions: scope.exemptions.filter((exemption) => exemption.namespace === namespace.name),
    workload,
    nowMs,
    createdMs: Date.parse(stringOf(metadata, 'creationTimestamp') ?? ''),
    optedInMs: namespace.optedInMs,
    policySinceMs: (name) => policies.find((policy) => policy.name === name)?.sinceMs
  })
  if (audit === undefined) return undefined
  return {
    name: pod.name,
    uid,
    workload,
    template: templateKeyOf(pod, uid),
    owner: topOwner(pod, ownerOf),
    audit
  }
}

/** Something that is read at most once, and only when somebody needs it. */
interface Once<T> {
  readonly ask: () => Promise<T>
  /** What was read; undefined when nobody asked. */
  readonly known: () => Promise<T> | undefined
}

function onceAsked<T>(read: () => Promise<T>): Once<T> {
  let reading: Promise<T> | undefined
  return {
    ask: () => (reading ??= read()),
    known: () => reading
  }
}
