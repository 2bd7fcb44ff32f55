import { migMixed } from '../sharing/mig-mixed.ts'
import type { PlanPod, PlanState } from './plan-state.ts'
import { podsOnCard } from './pods-on-card.ts'

/** Cards that a sentence names before it only counts the others: 10 keep it to a line or two. */
const MOST_NAMED = 10

/** Who is on one card. */
interface Users {
  readonly place: string
  readonly isCut: boolean
  readonly workloads: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
}

/**
 * What is and what is not kept apart once a state has become another, in sentences for a person who answers for security:
 * what MIG separates, what it does not, which cards are shared that were not, and which stay with one workload.
 */
export function tellIsolation(before: PlanState, after: PlanState): readonly string[] {
  const earlier = usersOf(before)
  const later = usersOf(after)
  const placesWith = (isMeant: (users: Users) => boolean): ReadonlySet<string> =>
    new Set(earlier.filter(isMeant).map(({ place }) => place))
  const newlyWith = (countOf: (users: Users) => number): readonly string[] => {
    const shared = placesWith((users) => countOf(users) > 1)
    return later
      .filter((users) => countOf(users) > 1 && !shared.has(users.place))
      .map((users) => `${users.place} (${countOf(users)})`)
  }
  const isAlone = ({ workloads }: Users): boolean => workloads.size === 1
  const wereAlone = placesWith(isAlone)
  const alone = later.filter((users) => isAlone(users) && wereAlone.has(users.place))
  return [
    tellCut(later.filter(({ isCut }) => isCut).length),
    'Not separated are PCIe and the bandwidth of host memory, the limits of power and temperature of the card, the GPU driver, and the node itself with its kernel: all pods of a node share them.',
    tellShared(
      newlyWith(({ workloads }) => workloads.size),
      'workload'
    ),
    tellShared(
      newlyWith(({ namespaces }) => namespaces.size),
      'namespace'
    ),
    tellAlone(alone.map(({ place }) => place)),
    ...tellTenants(after.pods)
  ]
}

function usersOf({ nodes, pods }: PlanState): readonly Users[] {
  const workloads = new Map(pods.map(({ id, workload }) => [id, workload]))
  const all = nodes.flatMap((node) =>
    node.cards.map((card): Users => {
      const owners = podsOnCard(card).flatMap((pod) => workloads.get(pod) ?? [])
      return {
        place: `${node.id}/${card.id}`,
        isCut: card.instances.length > 0 && owners.length > 0,
        workloads: new Set(owners),
        namespaces: new Set(owners.map((owner) => owner.slice(0, owner.indexOf('/'))))
      }
    })
  )
  return all.toSorted((a, b) => (a.place < b.place ? -1 : 1))
}

function tellCut(count: number): string {
  if (count === 0) return 'No card in use will be cut into MIG slices.'
  return `${tellCards(count)} in use will be cut into MIG slices: between the pods of such a card ${migMixed.isolates('hardware')}.`
}

function tellShared(cards: readonly string[], what: 'workload' | 'namespace'): string {
  const whose = `will hold pods of more than one ${what}`
  if (cards.length === 0) return `No card ${whose} that did not before.`
  return `${tellCards(cards.length)} ${whose} and did not before (number of ${what}s): ${listOf(cards)}.`
}

function tellAlone(cards: readonly string[]): string {
  const whose = 'will stay with the pods of one workload alone'
  return cards.length === 0 ? `No card ${whose}.` : `${tellCards(cards.length)} ${whose}: ${listOf(cards)}.`
}

function tellTenants(pods: readonly PlanPod[]): readonly string[] {
  const { size } = new Set(pods.flatMap(({ tenant }) => tenant ?? []))
  if (size === 0) return []
  const who = size === 1 ? 'the 1 tenant that is' : `one of the ${size} tenants that are`
  return [`At no step does a pod of ${who} kept apart come to a card of another.`]
}

function listOf(cards: readonly string[]): string {
  const rest = cards.length > MOST_NAMED ? `, and ${cards.length - MOST_NAMED} more` : ''
  return `${cards.slice(0, MOST_NAMED).join(', ')}${rest}`
}

function tellCards(count: number): string {
  return count === 1 ? '1 card' : `${count} cards`
}
