import type { GpuModel } from '../gpu/catalog.ts'
import type { Ask } from './ask.ts'
import type { CardClass } from './card-class.ts'
import { firstTwice } from './first-twice.ts'
import { isCount, packModel } from './pack-model.ts'
import type { NoPacking, Packing } from './packing.ts'

/** One tenant: workloads that may be together on a card, and no other tenant's beside them. */
export interface Tenant {
  /** A namespace, or a name for all namespaces that may share. */
  readonly name: string
  readonly asks: readonly Ask[]
  /** Cards in use that hold this tenant's instances alone. */
  readonly kept: readonly CardClass[]
}

/** What all tenants want of one model. */
export interface TenantDemand {
  readonly model: GpuModel
  readonly tenants: readonly Tenant[]
  /** Empty cards, which any one tenant may take. */
  readonly empty: CardClass
}

/** Packings by tenant, or the first tenant that cannot be packed, or that all together need more cards than there are. */
export type TenantPacking =
  | { readonly kind: 'bad-count'; readonly detail: string }
  /** Two tenants of the same name, or two classes of cards of the same id. */
  | { readonly kind: 'twice'; readonly id: string }
  | {
      readonly kind: 'packed'
      readonly tenants: readonly { readonly name: string; readonly packing: Packing }[]
      readonly gpus: number
      readonly bound: number
    }
  | { readonly kind: 'tenant'; readonly name: string; readonly refusal: NoPacking }
  | { readonly kind: 'too-few-cards'; readonly needed: number; readonly supply: number }
  | { readonly kind: 'undecided'; readonly bound: number }

/**
 * The fewest cards of one model when no card holds two tenants. A card is then one tenant's alone, so each is packed for
 * itself, and the sum of what each needs at least is what all need at least.
 */
export function packTenants({ model, tenants, empty }: TenantDemand): TenantPacking {
  const { supply, ...unlimited } = empty
  const refusal = refuse({ tenants, empty })
  if (refusal !== undefined) return refusal
  const packed: { readonly name: string; readonly packing: Packing }[] = []
  for (const { name, asks, kept } of tenants.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const packing = packModel({ model, cards: [...kept, supply === 0 ? empty : unlimited], asks })
    if (packing.kind !== 'packed') return { kind: 'tenant', name, refusal: packing }
    packed.push({ name, packing })
  }
  const sum = (value: (packing: Packing) => number): number =>
    packed.reduce((total, { packing }) => total + value(packing), 0)
  const [gpus, bound] = [sum((packing) => packing.gpus), sum((packing) => packing.bound)]
  if (supply !== undefined && bound > supply) return { kind: 'too-few-cards', needed: bound, supply }
  if (supply !== undefined && gpus > supply) return { kind: 'undecided', bound }
  return { kind: 'packed', tenants: packed, gpus, bound }
}

function refuse({ tenants, empty }: Omit<TenantDemand, 'model'>): TenantPacking | undefined {
  const ids = [empty, ...tenants.flatMap(({ kept }) => kept)].map(({ id }) => id)
  const twice = firstTwice(tenants.map(({ name }) => name)) ?? firstTwice(ids)
  if (twice !== undefined) return { kind: 'twice', id: twice }
  if (empty.supply === undefined || isCount(empty.supply)) return undefined
  const detail = `${empty.supply} cards of ${empty.id} is not a whole number from 0 on`
  return { kind: 'bad-count', detail }
}
