import type { GpuModel } from '../../../src/core/gpu/catalog.ts'
import { fitsBeside, legalPlacements, type Placement } from '../../../src/core/gpu/placement.ts'
import type { PlanPod, PlanState } from '../../../src/core/plan/plan-state.ts'
import { modelOf, plainNames } from '../../core/pack/instances.ts'
import { randomFrom } from '../estimator/random.ts'

/** A cluster of nodes with eight A100-80 each, and pods that came to random places. */
export interface BusySpec {
  readonly seed: number
  readonly nodes: number
  readonly pods: number
  /** By profile: its weight among pods. */
  readonly mix: Readonly<Record<string, number>>
  /** The longest restart of a pod, from 5 s on; 1 s for all where nothing is said. */
  readonly mostRestartSeconds?: number
}

const GPUS_PER_NODE = 8
/** Pool of all cards. */
export const POOL = 'a100-sxm4-80gb'

/** Pods of this mix, each in an instance of its own at a random place of a random card that has room. */
export function busyGpus({ seed, nodes, pods: count, mix, mostRestartSeconds }: BusySpec): PlanState {
  const restartSeconds = (): number =>
    mostRestartSeconds === undefined ? 1 : 5 + Math.floor(uniform() * (mostRestartSeconds - 4))
  const { uniform } = randomFrom(seed)
  const choose = <T>(list: readonly T[]): T | undefined => list[Math.floor(uniform() * list.length)]
  const model = modelOf(POOL)
  const cards = Array.from(
    { length: nodes * GPUS_PER_NODE },
    (): { placement: Placement; pod: string }[] => []
  )
  const pods: PlanPod[] = []
  while (pods.length < count) {
    const profile = pick(mix, uniform())
    const instances = choose(cards)
    const placement = choose(freePlaces(model, instances?.map((own) => own.placement) ?? [], profile))
    if (instances === undefined || placement === undefined) continue
    const id = `bench/pod-${String(pods.length).padStart(6, '0')}`
    instances.push({ placement, pod: id })
    pods.push({
      id,
      workload: 'bench/Deployment/pod',
      slots: { [POOL]: profile },
      restartSeconds: restartSeconds(),
      replicasLost: 1
    })
  }
  return {
    pools: [{ id: POOL, model, profiles: plainNames(model) }],
    pods,
    nodes: Array.from({ length: nodes }, (_, node) => ({
      id: `node-${String(node).padStart(5, '0')}`,
      pool: POOL,
      unit: 'instance',
      cards: cards.slice(node * GPUS_PER_NODE, (node + 1) * GPUS_PER_NODE).map((instances, index) => ({
        id: `node-${String(node).padStart(5, '0')}-gpu-${index}`,
        instances: instances.toSorted((a, b) => a.placement.start - b.placement.start)
      }))
    }))
  }
}

function pick(mix: BusySpec['mix'], ratio: number): string {
  const entries = Object.entries(mix)
  let left = ratio * entries.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [profile, weight] of entries) {
    if (left < weight) return profile
    left -= weight
  }
  return entries[0]?.[0] ?? ''
}

/** Places at which one more instance can be created. */
export function freePlaces(
  model: GpuModel,
  live: readonly Placement[],
  profile: string
): readonly Placement[] {
  return legalPlacements(model, profile).filter((placement) => fitsBeside(model, live, placement))
}
