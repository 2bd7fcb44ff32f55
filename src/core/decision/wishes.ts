import { ownAnnotations, PREFIX, userAnnotations } from '../api/names.ts'
import { quantityToMiB } from '../api/quantity.ts'
import { parseMigProfile, printMigProfile } from '../gpu/profile.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import type { PodView } from '../pod/pod-view.ts'
import { parseDuration } from '../policy/duration.ts'
import { parseHeadroom } from '../policy/headroom.ts'

/** Where a user wants the pod to be. */
export type Pin =
  | { readonly kind: 'whole-gpu' }
  | { readonly kind: 'shared' }
  | { readonly kind: 'gpumem' }
  | { readonly kind: 'mig'; readonly profile: string }

/** What a user asks for by annotations. */
export interface Wishes {
  readonly pin: Pin | undefined
  /** Floor for sizing, MiB. */
  readonly minMemoryMiB: number | undefined
  /** Least headroom, 0.2 means 20 %. */
  readonly headroomRatio: number | undefined
  readonly sharing: 'never' | 'mig' | 'any'
}

/** Wishes, or one sentence for each annotation whose value is not allowed. */
export type WishReading =
  | { readonly ok: true; readonly wishes: Wishes }
  | { readonly ok: false; readonly faults: readonly string[] }

type Reader = (value: string) => Partial<Wishes> | string

/** Less is a forgotten unit: `20480` is meant as MiB and would be 20 KiB. */
const MIN_MEMORY_FROM_MIB = 1

const readers: Readonly<Record<string, Reader>> = {
  [userAnnotations.pin]: (value) => {
    const pin = parsePin(value)
    return pin === undefined ? 'use whole-gpu, shared, gpumem or a profile such as mig-2g.10gb' : { pin }
  },
  [userAnnotations.minMemory]: (value) => {
    const minMemoryMiB = quantityToMiB(value)
    return minMemoryMiB === undefined || minMemoryMiB < MIN_MEMORY_FROM_MIB
      ? 'use a quantity such as 20Gi; 20480 alone means bytes'
      : { minMemoryMiB }
  },
  [userAnnotations.headroom]: (value) => {
    const headroom = parseHeadroom(value)
    return headroom.ok ? { headroomRatio: headroom.ratio } : 'use a percentage such as 30%'
  },
  [userAnnotations.sharing]: (value) =>
    value === 'never' || value === 'mig' || value === 'any' ? { sharing: value } : 'use never, mig or any',
  [userAnnotations.doNotMove]: (value) =>
    value === 'true' || parseDuration(value) !== undefined ? {} : 'use true or a duration such as 8h',
  [userAnnotations.reason]: () => ({})
}

const ownKeys: readonly string[] = Object.values(ownAnnotations)

/**
 * Reads the user's annotations. A key of ours that nobody knows is a fault too: it may be a misspelt pin.
 * Keys that only the webhook writes are not looked at.
 */
export function readWishes({ annotations }: Pick<PodView, 'annotations'>): WishReading {
  let wishes: Wishes = { pin: undefined, minMemoryMiB: undefined, headroomRatio: undefined, sharing: 'any' }
  const faults: string[] = []
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(PREFIX) || ownKeys.includes(key)) continue
    const read = readers[key]?.(value) ?? `no such annotation; known are ${Object.keys(readers).join(', ')}`
    if (typeof read === 'string') faults.push(`${key}="${value}": ${read}`)
    else wishes = { ...wishes, ...read }
  }
  faults.push(...faultOfPin(wishes))
  return faults.length === 0 ? { ok: true, wishes } : { ok: false, faults: faults.sort() }
}

/** What is cut to measure has no size of its own. */
function faultOfPin({ pin, minMemoryMiB }: Wishes): readonly string[] {
  return pin?.kind === 'gpumem' && minMemoryMiB === undefined
    ? [`${userAnnotations.pin}="gpumem": say how large by ${userAnnotations.minMemory}, such as 6Gi`]
    : []
}

/** One sentence for each wish that was written as a label, where nobody reads it. */
export function misplacedWishes({ labels }: Pick<PodView, 'labels'>): readonly string[] {
  const misplaced = Object.keys(labels).filter((key) => Object.hasOwn(readers, key))
  return misplaced.sort().map((key) => `label ${key} is not read: write it as an annotation`)
}

function parsePin(value: string): Pin | undefined {
  if (value === 'whole-gpu' || value === 'shared' || value === 'gpumem') return { kind: value }
  const named = value.startsWith('mig-') ? parseGpuResourceName(`nvidia.com/${value}`) : undefined
  const text = named?.kind === 'mig' ? named.profile : value.replace(/^mig-/, '')
  const profile = parseMigProfile(text)
  if (profile === undefined || profile.instanceSlices !== undefined) return undefined
  return { kind: 'mig', profile: printMigProfile(profile) }
}
