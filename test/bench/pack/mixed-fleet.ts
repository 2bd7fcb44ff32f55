import { findCatalogProfile, type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import { emptyCards } from '../../../src/core/pack/card-class.ts'
import type { Fleet, Pool, WorkloadClass } from '../../../src/core/pack/fleet.ts'
import { servingSteps } from '../../../src/core/pack/serving.ts'
import { plainNames, plainProfiles } from '../../core/pack/instances.ts'
import { randomFrom } from '../estimator/random.ts'

/** One model of the mixed fleet: part of all cards, price, USD an hour. */
interface Offer {
  readonly id: string
  readonly shareRatio: number
  readonly priceUsdPerHour: number
}

/** Prices are round ones of the order that clouds ask; shares give every model some of the load. */
const offers: readonly Offer[] = [
  { id: 'a30-24gb', shareRatio: 0.15, priceUsdPerHour: 0.9 },
  { id: 'a100-sxm4-40gb', shareRatio: 0.2, priceUsdPerHour: 2.1 },
  { id: 'a100-sxm4-80gb', shareRatio: 0.2, priceUsdPerHour: 2.7 },
  { id: 'h100-sxm5-80gb', shareRatio: 0.25, priceUsdPerHour: 4.3 },
  { id: 'h200-sxm-141gb', shareRatio: 0.2, priceUsdPerHour: 5.4 }
]

/** What one workload needs. */
interface Need {
  readonly neededMiB: number
  readonly neededSms: number
}

const MEDIAN_MIB = 9000
const MEDIAN_SMS = 16

/** Needs whose logarithms are normal: most are small, a few want a whole card. */
export function randomNeeds(count: number, seed: number): readonly Need[] {
  const { noise } = randomFrom(seed)
  return Array.from({ length: count }, () => ({
    neededMiB: Math.min(75_000, MEDIAN_MIB * noise(0.9)),
    neededSms: Math.min(98, MEDIAN_SMS * noise(0.7))
  }))
}

/** The smallest slot of a model that holds the need: memory first, then compute; undefined where none does. */
export function smallestSlot(model: GpuModel, { neededMiB, neededSms }: Need): string | undefined {
  return plainProfiles(model)
    .filter(({ usableMiB, smCount = 0 }) => usableMiB >= neededMiB && smCount >= neededSms)
    .toSorted((a, b) => a.usableMiB - b.usableMiB || a.computeSlices - b.computeSlices)
    .at(0)?.name
}

/** Cards of five models with prices and limits, half as many as workloads, and the workloads by class. */
export function mixedFleet(needs: readonly Need[]): Fleet {
  const total = Math.ceil(needs.length / 2)
  const models = offers.flatMap((offer) => {
    const model = gpuModels.find(({ id }) => id === offer.id)
    return model === undefined ? [] : [{ offer, model }]
  })
  const pools = models.flatMap(({ offer, model }): readonly Pool[] => {
    const profiles = plainNames(model)
    const supply = Math.ceil(total * offer.shareRatio)
    const made = emptyCards(model, profiles, { id: model.id, supply })
    if (made.kind !== 'class') return []
    const steps = servingSteps(profiles.flatMap((name) => findCatalogProfile(model, name) ?? []))
    return [{ cards: { ...made.cards, supply }, steps, priceUsdPerHour: offer.priceUsdPerHour }]
  })
  const workloads = classesOf(
    needs,
    models.map(({ model }) => model)
  )
  return { pools, workloads, objective: 'price' }
}

/** Workloads that fit the same slot on every model are one class. */
function classesOf(needs: readonly Need[], models: readonly GpuModel[]): readonly WorkloadClass[] {
  const groups = Map.groupBy(needs, (need) =>
    JSON.stringify(models.map((model) => smallestSlot(model, need) ?? null))
  )
  return [...groups].flatMap(([id, same]) => {
    const [need] = same
    if (need === undefined) return []
    const slots = models.flatMap((model) => {
      const slot = smallestSlot(model, need)
      return slot === undefined ? [] : [[model.id, slot] as const]
    })
    return [{ id, count: same.length, slots: Object.fromEntries(slots) }]
  })
}
