import type { Consumption } from './device.ts'

/** One device that can be given away, as far as others depend on it. */
export interface Unit {
  /** What kind it is, as a number of its own. */
  readonly share: number
  readonly consumes: Consumption
}

/** What a node can give at one time: devices that share counters cannot all be given. */
export interface Room {
  /** All there is of the counters, by `POOL SET/COUNTER`. */
  readonly counters: Consumption
  readonly units: readonly Unit[]
}

/** Steps after which a search gives up: eight cards with seven places each for a device of which each card holds one have too many ways. */
const MOST_STEPS = 2000

/** How many devices of one share the node can give at one time, when it has given none: so many certainly, perhaps more. */
export function mostOf({ counters, units }: Room, share: number): number {
  let left = counters
  let count = 0
  for (const unit of units) {
    const rest = unit.share === share ? take(left, unit.consumes) : undefined
    if (rest === undefined) continue
    left = rest
    count += 1
  }
  return count
}

/** Whether the node can give all of these at one time, when it has given none; false also where that takes too long to find out. */
export function holdsTogether(room: Room, shares: readonly number[]): boolean {
  let steps = 0
  const place = (index: number, left: Consumption, used: ReadonlySet<Unit>): boolean => {
    const share = shares[index]
    if (share === undefined) return true
    for (const unit of room.units) {
      if (unit.share !== share || used.has(unit)) continue
      steps += 1
      if (steps > MOST_STEPS) return false
      const rest = take(left, unit.consumes)
      if (rest !== undefined && place(index + 1, rest, new Set([...used, unit]))) return true
    }
    return false
  }
  return place(0, room.counters, new Set())
}

/** What is left of the counters after a device was given; undefined where it takes more than there is. */
function take(left: Consumption, consumes: Consumption): Consumption | undefined {
  const names = Object.keys(consumes)
  if (names.length === 0) return left
  const rest: Record<string, number> = { ...left }
  for (const name of names) {
    const amount = (rest[name] ?? 0) - (consumes[name] ?? 0)
    if (!(amount >= 0)) return undefined
    rest[name] = amount
  }
  return rest
}
