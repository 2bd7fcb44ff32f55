import { comparePlacements, fitsBeside, overlaps, type Placement } from '../../gpu/placement.ts'
import { slotKey } from '../seat.ts'
import { type Board, type BoardCard, nodeOn, podsOf, seatOf } from './board.ts'

/**
 * What can be made of a card without stopping anybody on it: instances that run stay, idle ones that are not wanted go,
 * and of the wanted ones all are made that fit beside those that run, first the ones for pods of this very card,
 * because they make room. All that is wanted once nothing else runs.
 */
export function nextLayout(board: Board, card: BoardCard): readonly Placement[] {
  if (card.pods.has(slotKey(undefined))) return card.live
  const { model } = nodeOn(board, card.node).pool
  const wanted = new Set(card.wanted.map(slotKey))
  const made = card.live.filter((placement) => {
    const key = slotKey(placement)
    return card.pods.has(key) || wanted.has(key)
  })
  const there = new Set(made.map(slotKey))
  const isForOwn = (placement: Placement): boolean => {
    const pod = card.incoming.get(slotKey(placement))
    return pod !== undefined && board.seats.get(pod)?.card === card.id
  }
  const missing = card.wanted.filter((placement) => !there.has(slotKey(placement)))
  const inOrder = [...missing.filter(isForOwn), ...missing.filter((placement) => !isForOwn(placement))]
  for (const placement of inOrder) if (fitsBeside(model, made, placement)) made.push(placement)
  return made.toSorted(comparePlacements)
}

/** Pods without which an instance could be made on the card: those in its place, or else those that take what it needs. */
export function podsInTheWay(board: Board, card: BoardCard, next: Placement): readonly string[] {
  const { model } = nodeOn(board, card.node).pool
  const live = nextLayout(board, card)
  const wanted = new Set(card.wanted.map(slotKey))
  const leaving = live.filter((placement) => !wanted.has(slotKey(placement)))
  const inPlace = leaving.filter((placement) => overlaps(placement, next))
  if (inPlace.length > 0) return holdersOf(board, card, inPlace)
  const isEnough = (one: Placement): boolean => {
    const others = live.filter((other) => other !== one)
    return fitsBeside(model, others, next)
  }
  const alone = leaving.filter(isEnough).slice(0, 1)
  return holdersOf(board, card, alone.length > 0 ? alone : leaving)
}

function holdersOf(board: Board, card: BoardCard, placements: readonly Placement[]): readonly string[] {
  const keys = new Set(placements.map(slotKey))
  return podsOf(card).filter((pod) => keys.has(slotKey(seatOf(board, pod).placement)))
}
