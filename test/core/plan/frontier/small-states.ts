import type { GpuModel } from '../../../../src/core/gpu/catalog.ts'
import type { DisruptionUnit, PlanCard, PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import { cardByHand, holdsByHand } from '../../pack/card-by-hand.ts'
import { cuttable, randomLive } from '../../pack/instances.ts'

/** Numbers from 0 to 1 that tests draw from. */
export type Draw = () => number

/** A state of one pool with a few cards and pods on them, of any family, unit, tenant and rule; with CPU that may run out, or without. */
export function randomState(draw: Draw, index: number, { hasCpu }: { readonly hasCpu: boolean }): PlanState {
  const choose = <T>(list: readonly T[]): T | undefined => list[Math.floor(draw() * list.length)]
  const model = cuttable[index % cuttable.length]
  if (model === undefined) throw new Error('no model')
  const names = model.profiles.map(({ name }) => name)
  const some = names.filter(() => draw() < 0.6)
  const profiles = some.length === 0 ? names : some
  const pods: PlanPod[] = []
  const tenants = draw() < 0.4 ? ['red', 'blue', undefined] : [undefined]
  const nodes = Array.from({ length: 2 + Math.floor(draw() * 2) }, (_, node) => {
    const unit = choose<DisruptionUnit>(['node', 'card', 'instance']) ?? 'card'
    const cards = Array.from({ length: 1 + Math.floor(draw() * 2) }, (__, card): PlanCard => {
      const tenant = choose(tenants)
      const live = randomLive(model, { choose, most: 1 + Math.floor(draw() * 3) }).toSorted(
        (a, b) => a.start - b.start
      )
      const instances = live.map((placement) => {
        if (pods.length > 7 || draw() < 0.25) return { placement }
        const pod = randomPod(draw, { model, tenant, offered: placement.profile, id: `ns/p${pods.length}` })
        pods.push(pod)
        return { placement, pod: pod.id }
      })
      const isEmpty = instances.every(({ pod }) => pod === undefined)
      if (isEmpty && pods.length < 8 && draw() < 0.2) {
        const pod = randomPod(draw, { model, tenant, offered: choose(names) ?? '', id: `ns/p${pods.length}` })
        pods.push(pod)
        return { id: `c${node}${card}`, instances: [], wholePod: pod.id }
      }
      return { id: `c${node}${card}`, instances, ...(draw() < 0.05 ? { stays: 'reserved' } : {}) }
    })
    return {
      id: `n${node}`,
      pool: 'a',
      unit,
      cards,
      priceUsdPerHour: 1 + Math.floor(draw() * 3),
      ...(hasCpu ? { freeCpuMilli: Math.floor(draw() * 5) } : {}),
      ...(draw() < 0.05 ? { stays: 'cordoned' } : {})
    }
  })
  return { pools: [{ id: 'a', model, profiles }], nodes, pods }
}

interface PodAt {
  readonly model: GpuModel
  readonly tenant: string | undefined
  readonly offered: string
  readonly id: string
}

function randomPod(draw: Draw, { model, tenant, offered, id }: PodAt): PlanPod {
  const hand = cardByHand(model.id)
  const fitting = model.profiles
    .map(({ name }) => name)
    .filter((profile) => holdsByHand(hand, offered, { profile, isExact: false }))
  const isExact = draw() < 0.15
  const profile = isExact ? offered : (fitting[Math.floor(draw() * fitting.length)] ?? offered)
  return {
    id,
    workload: `ns/Deployment/${id}`,
    slots: { a: profile },
    ...(isExact ? { isExact } : {}),
    ...(tenant === undefined ? {} : { tenant }),
    restartSeconds: 1 + Math.floor(draw() * 3),
    replicasLost: 1,
    cpuMilli: 1 + Math.floor(draw() * 3),
    ...(draw() < 0.07 ? { stays: 'its PodDisruptionBudget allows no disruption' } : {})
  }
}
