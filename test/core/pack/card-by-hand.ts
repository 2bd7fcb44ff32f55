import { readFileSync } from 'node:fs'

/**
 * The rules of a card, read from the catalogue's file and written down once more: nothing here is shared with the code
 * that packs, so that what they agree on is right twice.
 */
export interface CardByHand {
  readonly id: string
  readonly profiles: ReadonlyMap<string, ProfileByHand>
  readonly limits: Readonly<Record<string, number>>
}

interface ProfileByHand {
  readonly name: string
  readonly spans: readonly (readonly number[])[]
  readonly most: number
  readonly takes: Readonly<Record<string, number>>
  readonly gives: Readonly<Record<string, number | undefined>>
  readonly engines: Readonly<Record<string, number>> | undefined
  readonly suffix: string
}

export interface PlacedByHand {
  readonly profile: string
  readonly start: number
}

interface JsonProfile {
  name: string
  computeSlices: number
  placements?: { starts: number[]; size: number }
  maxInstances: number
  smCount?: number
  instanceSmCount?: number
  usableMiB: number
  engines?: Record<string, number>
}

interface JsonModel {
  id: string
  computeSlices?: number
  smTotal?: number
  engineTotals?: Record<string, number>
  profiles: JsonProfile[]
}

const file = new URL('../../../src/core/gpu/catalog.json', import.meta.url)
const { models } = JSON.parse(readFileSync(file, 'utf8')) as { models: JsonModel[] }

/** The card of a model whose placements are known. */
export function cardByHand(id: string): CardByHand {
  const model = models.find((candidate) => candidate.id === id)
  if (model === undefined) throw new Error(`no model ${id}`)
  const whole = model.profiles.find(({ computeSlices }) => computeSlices === model.computeSlices)
  return {
    id,
    profiles: new Map(model.profiles.map((profile) => [profile.name, profileByHand(profile)])),
    limits: {
      slices: model.computeSlices ?? Infinity,
      sms: model.smTotal ?? Infinity,
      ...(model.engineTotals ?? whole?.engines)
    }
  }
}

function profileByHand(profile: JsonProfile): ProfileByHand {
  const { starts = [], size = 0 } = profile.placements ?? {}
  return {
    name: profile.name,
    spans: starts.map((start) => Array.from({ length: size }, (_, offset) => start + offset)),
    most: profile.maxInstances,
    takes: { slices: profile.computeSlices, sms: profile.instanceSmCount ?? 0, ...profile.engines },
    gives: { memory: profile.usableMiB, slices: profile.computeSlices, sms: profile.smCount },
    engines: profile.engines,
    suffix: profile.name.replace(/^.*gb/, '')
  }
}

/** Whether these instances may be on the card together. */
export function isValidCard(card: CardByHand, placed: readonly PlacedByHand[]): boolean {
  const spans = placed.map(({ profile, start }) =>
    card.profiles.get(profile)?.spans.find(([first]) => first === start)
  )
  const positions = spans.flatMap((span) => span ?? [Number.NaN])
  if (positions.some(Number.isNaN) || new Set(positions).size < positions.length) return false
  const taken: Record<string, number> = {}
  for (const { profile } of placed) {
    for (const [pool, amount] of Object.entries(card.profiles.get(profile)?.takes ?? {})) {
      taken[pool] = (taken[pool] ?? 0) + amount
    }
  }
  return (
    Object.entries(taken).every(([pool, amount]) => amount <= (card.limits[pool] ?? Infinity)) &&
    [...card.profiles.values()].every(
      ({ name, most }) => placed.filter(({ profile }) => profile === name).length <= most
    )
  )
}

/** Whether a workload for `asked` may run in a slot of `offered`. */
export function holdsByHand(
  card: CardByHand,
  offered: string,
  asked: { readonly profile: string; readonly isExact: boolean }
): boolean {
  if (offered === asked.profile) return card.profiles.has(offered)
  const slot = card.profiles.get(offered)
  const want = card.profiles.get(asked.profile)
  if (asked.isExact || slot === undefined || want === undefined) return false
  if (isLess(slot.gives, want.gives) || (want.suffix === '+gfx' && slot.suffix !== '+gfx')) return false
  return slot.engines === undefined || want.engines === undefined
    ? mediaByName(slot.suffix, want.suffix)
    : !isLess(slot.engines, want.engines)
}

/** True when something known on both sides is less on the first. */
function isLess(
  has: Readonly<Record<string, number | undefined>>,
  needs: Readonly<Record<string, number | undefined>>
): boolean {
  return Object.entries(needs).some(([key, value]) => (has[key] ?? Infinity) < (value ?? 0))
}

function mediaByName(slot: string, want: string): boolean {
  if (want === '-me') return true
  return want === '' ? slot !== '-me' : slot === want
}

/** Every valid card that holds `live` and, beside it, instances of these profiles: what comes beside, the empty one first. */
export function allCards(
  card: CardByHand,
  profiles: readonly string[],
  live: readonly PlacedByHand[] = []
): readonly (readonly PlacedByHand[])[] {
  const places = profiles.flatMap((profile) =>
    (card.profiles.get(profile)?.spans ?? []).map(([start = 0]) => ({ profile, start }))
  )
  const grow = (chosen: readonly PlacedByHand[], from: number): readonly (readonly PlacedByHand[])[] => [
    chosen,
    ...places.slice(from).flatMap((place, index) => {
      const more = [...chosen, place]
      return isValidCard(card, [...live, ...more]) ? grow(more, from + index + 1) : []
    })
  ]
  return grow([], 0)
}
