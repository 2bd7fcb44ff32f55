import { readNode } from '../../core/cluster/node-view.ts'
import type { DecisionSettings } from '../../core/decision/decision.ts'
import { AppError } from '../../core/errors.ts'
import { toEffectivePolicy } from '../../core/policy/effective-policy.ts'
import { readExemption } from '../../core/policy/exemption.ts'
import { indexNodes } from '../../core/sharing/node-index.ts'
import type { PageReader, WantedPages } from '../../ports/page-reader.ts'
import { specSinceMs } from '../managed-since.ts'
import { readNamespace } from '../read-views.ts'
import type { SweepFault, SweptKind } from './sweep-fault.ts'
import { type DatedPolicy, type SweepScope, sweptNamespaces } from './sweep-scope.ts'

/** What is to be swept. */
export interface WantedScope {
  /** Only this namespace; absent: all that opted in. */
  readonly namespace?: string | undefined
  readonly settings: DecisionSettings
  /** Milliseconds since the epoch; exemptions end. */
  readonly nowMs: number
}

/** What pods are judged by, and what of it could not be read. */
export interface ReadScope {
  readonly scope: SweepScope
  readonly faults: readonly SweepFault[]
}

/**
 * Reads from the cluster what pods are judged by. Without the policies the labels and the default levels count, without the nodes
 * nobody is called unreviewed; either is a fault.
 * @throws AppError USAGE_WRONG when the namespace does not exist; KUBE_REFUSED when namespaces may not be read; KUBE_UNREACHABLE
 */
export async function readScope(
  reader: PageReader,
  { namespace, settings, nowMs }: WantedScope,
  signal: AbortSignal
): Promise<ReadScope> {
  const namespaces = await readAll(reader, wantedNamespaces(namespace), { project: readNamespace, signal })
  if (namespace !== undefined && namespaces.length === 0)
    throw new AppError('USAGE_WRONG', `there is no namespace ${JSON.stringify(namespace)}`)
  const policies = await readOrFault(reader, 'gpupolicies', { project: readDatedPolicy, signal })
  const exemptions = await readOrFault(reader, 'gpuexemptions', { project: readExemption, signal })
  const nodes = await readOrFault(reader, 'nodes', { project: readNode, signal })
  const scope = {
    namespaces: sweptNamespaces(namespaces, settings),
    policies: policies.objects.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    nodes: indexNodes(nodes.objects),
    settings,
    ownerOf: () => undefined, // the names that Kubernetes gives tell the workload
    exemptions: exemptions.objects,
    nowMs
  }
  return { scope, faults: [...policies.faults, ...exemptions.faults, ...nodes.faults] }
}

function wantedNamespaces(name: string | undefined): WantedPages {
  return name === undefined ? { kind: 'namespaces' } : { kind: 'namespaces', name }
}

interface Projecting<T> {
  readonly project: (raw: unknown) => T | undefined
  readonly signal: AbortSignal
}

async function readAll<T>(
  reader: PageReader,
  wanted: WantedPages,
  { project, signal }: Projecting<T>
): Promise<readonly T[]> {
  const kept: T[] = []
  const onPage = async (objects: readonly unknown[]): Promise<void> => {
    kept.push(...objects.flatMap((raw) => project(raw) ?? []))
  }
  await reader.read(wanted, onPage, signal)
  return kept
}

/** A collection that may not be read is empty, and a fault. */
async function readOrFault<T>(
  reader: PageReader,
  kind: SweptKind,
  projecting: Projecting<T>
): Promise<{ readonly objects: readonly T[]; readonly faults: readonly SweepFault[] }> {
  try {
    return { objects: await readAll(reader, { kind }, projecting), faults: [] }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'KUBE_UNREACHABLE') throw error
    return { objects: [], faults: [{ what: kind, namespace: undefined, error }] }
  }
}

function readDatedPolicy(raw: unknown): DatedPolicy {
  const read = toEffectivePolicy(raw)
  const { name } = read.kind === 'valid' ? read.policy : read
  return { name, read, sinceMs: specSinceMs(raw) }
}
