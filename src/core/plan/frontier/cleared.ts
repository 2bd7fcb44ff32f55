import { AppError } from '../../errors.ts'
import type { PlanCard, PlanNode, PlanState } from '../plan-state.ts'
import { seatsOnCard } from '../pods-on-card.ts'
import type { Seat } from '../target.ts'
import type { Counted } from './counted.ts'
import type { CardRef, ClearClass, Member } from './state-classes.ts'

/** Nodes before cards: what is left of a node that goes whole is not looked for among its cards. */
const order: readonly ClearClass['scope'][] = ['freed', 'opened', 'node', 'card']

/** The cards and nodes of an answer whose pods leave, or that are taken into use, by name. */
export class Cleared {
  readonly #cards = new Set<string>()
  readonly #nodes = new Set<string>()
  readonly #freed = new Set<string>()
  readonly #returned: (CardRef & { readonly pool: string })[] = []

  /** @throws AppError PLAN_INVALID where an answer takes more of a kind than there are */
  constructor(counted: Counted) {
    for (const scope of order) {
      for (const { column, count } of counted) {
        if (column.kind === 'clear' && column.clear.scope === scope) this.#take(column.clear, count)
      }
    }
  }

  #take({ key, scope, pool, members, returns }: ClearClass, count: number): void {
    const taken = members.filter(({ node }) => !this.#nodes.has(node.id)).slice(0, count)
    if (taken.length < count) throw new AppError('PLAN_INVALID', `${count} of ${key} are not there`)
    for (const member of taken) this.#takeMember(member, { scope, pool, returns })
  }

  #takeMember(
    { node, cards }: Member,
    { scope, pool, returns }: Pick<ClearClass, 'scope' | 'pool' | 'returns'>
  ): void {
    if (scope !== 'card') this.#nodes.add(node.id)
    if (scope === 'freed') this.#freed.add(node.id)
    if (returns > 0) this.#returned.push(...cards.map((card) => ({ node, card, pool })))
    for (const { id } of cards) this.#cards.add(id)
  }

  has({ id }: PlanCard): boolean {
    return this.#cards.has(id)
  }

  isFreed({ id }: PlanNode): boolean {
    return this.#freed.has(id)
  }

  /** Cards that can be laid out anew once their pods have left. */
  returned(pool: string): readonly CardRef[] {
    return this.#returned.filter((ref) => ref.pool === pool)
  }

  /** By id: pods that leave, with the seat that each has now. */
  leaving({ nodes }: PlanState): ReadonlyMap<string, Seat> {
    return new Map(
      nodes.flatMap((node) =>
        node.cards.filter((card) => this.has(card)).flatMap((card) => seatsOnCard(node, card))
      )
    )
  }
}
