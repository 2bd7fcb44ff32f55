import type { ReasonCode } from '../api/reasons.ts'
import type { NodeView } from '../cluster/node-view.ts'
import type { GpuModel } from '../gpu/catalog.ts'
import { parseProductLabel } from '../gpu/product-label.ts'
import { workloadKey } from '../pod/workload.ts'
import { isLayoutSettled, modelOf, nodeLabels } from '../sharing/node-labels.ts'
import type { CandidateGroup, CandidateRow, Fit, KnownNeed, RunningContainer } from './candidate.ts'
import { chooseProfile } from './choose-profile.ts'
import { packReplicas, packSlices } from './pack.ts'

/** What candidates are found from. */
export interface CandidateInput {
  readonly nodes: readonly NodeView[]
  readonly containers: readonly RunningContainer[]
  /** By `needKey`. */
  readonly needs: ReadonlyMap<string, KnownNeed>
  /** Most pods of a namespace that may share a card; 0 where it may not share. */
  readonly replicasAllowed: (namespace: string) => number
  /** USD per hour of one GPU of a model, by product label. */
  readonly priceUsdPerHour: (model: string) => number | undefined
}

/** Key of a container's need. */
export function needKey({
  namespace,
  workload,
  container
}: Pick<RunningContainer, 'namespace' | 'workload' | 'container'>): string {
  return `${namespace}/${workloadKey(workload)}/${container}`
}

/**
 * Every workload that holds whole GPUs, the share that it would fit, and what packing these shares would free. Cards
 * that can be partitioned are judged node by node, since slices are cut where the pods run; cards that can only be
 * shared are judged model by model, since replicas move. Groups are in order of their first node.
 */
export function findCandidates(input: CandidateInput): readonly CandidateGroup[] {
  const groups = new Map<string, NodeView[]>()
  for (const node of [...input.nodes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = isPartitionable(node) ? `node ${node.name}` : `model ${productOf(node)}`
    groups.set(key, [...(groups.get(key) ?? []), node])
  }
  return [...groups.values()].flatMap((nodes) => groupOf(nodes, input) ?? [])
}

function isPartitionable(node: NodeView): boolean {
  return (modelOf(node)?.profiles.length ?? 0) > 0
}

function productOf(node: NodeView): string {
  return parseProductLabel(node.labels[nodeLabels.product] ?? '').model
}

function groupOf(nodes: readonly NodeView[], input: CandidateInput): CandidateGroup | undefined {
  const first = nodes[0]
  const names = new Set(nodes.map(({ name }) => name))
  const containers = input.containers.filter(({ node }) => names.has(node))
  if (first === undefined || containers.length === 0) return undefined
  const model = modelOf(first)
  const rows = rowsOf(containers, input, isPartitionable(first) && isLayoutSettled(first) ? model : undefined)
  const shared = isPartitionable(first)
    ? { rows, gpusAfter: slicedGpus(rows, model) }
    : sharedRows(rows, first, input)
  const fitting = shared.rows.filter(({ fit }) => fit.kind !== 'none')
  return {
    nodes: [...names],
    model: productOf(first),
    rows: shared.rows,
    gpusNow: fitting.reduce((sum, { gpus }) => sum + gpus, 0),
    gpusAfter: shared.gpusAfter,
    priceUsdPerHour: input.priceUsdPerHour(productOf(first))
  }
}

function rowsOf(
  containers: readonly RunningContainer[],
  input: CandidateInput,
  model: GpuModel | undefined
): CandidateRow[] {
  const byKey = new Map<string, RunningContainer[]>()
  for (const container of containers) {
    const key = needKey(container)
    byKey.set(key, [...(byKey.get(key) ?? []), container])
  }
  return [...byKey]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, own]) => rowOf(own, input.needs.get(key), model) ?? [])
}

function rowOf(
  containers: readonly RunningContainer[],
  need: KnownNeed | undefined,
  model: GpuModel | undefined
): CandidateRow | undefined {
  const first = containers[0]
  if (first === undefined) return undefined
  return {
    nodes: [...new Set(containers.map(({ node }) => node))].sort(),
    namespace: first.namespace,
    workload: first.workload,
    container: first.container,
    pods: containers.length,
    requested: Math.max(...containers.map(({ gpus }) => gpus)),
    gpus: containers.reduce((sum, { gpus }) => sum + gpus, 0),
    need,
    keepsIfShared: containers.find(({ keepsIfShared }) => keepsIfShared !== undefined)?.keepsIfShared,
    ...fitOf(containers, need, model)
  }
}

function fitOf(
  containers: readonly RunningContainer[],
  need: KnownNeed | undefined,
  model: GpuModel | undefined
): Pick<CandidateRow, 'fit' | 'considered'> {
  const keeps = containers.map((container) => container.keeps).find((reason) => reason !== undefined)
  if (keeps !== undefined) return unfit(keeps)
  if (need === undefined) return unfit('NoHistory')
  return model === undefined ? unfit('ModelCannotPartition') : chooseProfile(model, need)
}

function unfit(reason: ReasonCode): Pick<CandidateRow, 'fit' | 'considered'> {
  return { fit: { kind: 'none', reason }, considered: [] }
}

function slicedGpus(rows: readonly CandidateRow[], model: GpuModel | undefined): number {
  const profiles = rows.flatMap(({ fit, pods }) =>
    fit.kind === 'slice' ? Array.from({ length: pods }, () => fit.profile) : []
  )
  return model === undefined ? 0 : packSlices(model, profiles)
}

/** Rows of cards that can only be shared: those of namespaces that may share get replicas of the largest fitting number. */
function sharedRows(
  found: readonly CandidateRow[],
  node: NodeView,
  input: CandidateInput
): { readonly rows: readonly CandidateRow[]; readonly gpusAfter: number } {
  const rows = found.map((row) => {
    const reason = mayShare(row, input) ? row.keepsIfShared : undefined
    return reason === undefined ? row : { ...row, fit: { kind: 'none' as const, reason } }
  })
  const cardMiB = Number(node.labels[nodeLabels.memory] ?? 0)
  const sharing = rows.filter((row) => row.need !== undefined && mayShare(row, input))
  const needsMiB = sharing.flatMap(({ need, pods }) =>
    Array.from({ length: pods }, () => need?.neededMiB ?? 0)
  )
  const most = Math.min(...sharing.map(({ namespace }) => input.replicasAllowed(namespace)))
  const { replicas, cards, neededMiB } = packReplicas(needsMiB, { cardMiB, most })
  if (replicas < 2) return { rows, gpusAfter: 0 }
  const fit: Fit = { kind: 'replica', replicas, neededMiB }
  return { rows: rows.map((row) => (sharing.includes(row) ? { ...row, fit } : row)), gpusAfter: cards }
}

function mayShare({ fit, namespace }: CandidateRow, { replicasAllowed }: CandidateInput): boolean {
  return fit.kind === 'none' && fit.reason === 'ModelCannotPartition' && replicasAllowed(namespace) > 1
}
