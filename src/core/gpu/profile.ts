import { compareText } from '../compare-text.ts'
/** A MIG profile name taken apart: `1g.10gb`, `1g.10gb+me`, `1c.2g.20gb`. */
export interface MigProfile {
  /** Compute slices of a compute instance that is smaller than its GPU instance: the 1 of `1c.2g.20gb`. */
  readonly instanceSlices?: number
  /** Compute slices of the GPU instance: the 2 of `2g.20gb`. */
  readonly gpuSlices: number
  /** Memory as the name says it, GB; what a pod can use is less, see the catalogue. */
  readonly memoryGb: number
  /** Attributes with their sign, in the order of the name: `+gfx`, then one of `+me`, `+me.all`, `-me`. */
  readonly attributes: readonly string[]
}

const canonical = /^(?:([1-9]\d?)c\.)?([1-9]\d?)g\.([1-9]\d{0,3})gb(\+gfx)?(\+me\.all|\+me|-me)?$/

/**
 * Reads a MIG profile in its canonical spelling, the one that `printMigProfile` writes.
 * @returns undefined for every other text: other case, blanks, a prefix, no memory, attributes that are unknown,
 *   contradict or stand in another order, a compute instance that is not smaller than its GPU instance
 * @source NVIDIA/go-nvlib pkg/nvlib/device/mig_profile.go; NVIDIA MIG User Guide, device names
 */
export function parseMigProfile(text: string): MigProfile | undefined {
  const match = canonical.exec(text)
  if (match === null) return undefined
  const gpuSlices = Number(match[2])
  const attributes = [match[4], match[5]].filter((attribute) => attribute !== undefined)
  const whole = { gpuSlices, memoryGb: Number(match[3]), attributes }
  if (match[1] === undefined) return whole
  const instanceSlices = Number(match[1])
  return instanceSlices < gpuSlices ? { instanceSlices, ...whole } : undefined
}

/** Writes a MIG profile in its canonical spelling, for example `1g.24gb+me.all`. */
export function printMigProfile(profile: MigProfile): string {
  const instance = profile.instanceSlices === undefined ? '' : `${profile.instanceSlices}c.`
  return `${instance}${profile.gpuSlices}g.${profile.memoryGb}gb${profile.attributes.join('')}`
}

/**
 * Writes a canonical profile name as resource names, node labels and mig-parted do: `1g.10gb+me` gives `1g.10gb.me`;
 * the minus of `1g.24gb-me` stays.
 * @source NVIDIA/k8s-device-plugin internal/rm/rm.go
 */
export function toDottedProfile(profile: string): string {
  return profile.replaceAll('+', '.')
}

/** Canonical name of a profile written with dots, the inverse of `toDottedProfile`; undefined for every other text. */
export function fromDottedProfile(text: string): string | undefined {
  const end = text.indexOf('gb') + 'gb'.length
  const attributes = text.slice(end).replace('.gfx', '+gfx').replace('.me', '+me')
  const profile = `${text.slice(0, end)}${attributes}`
  return parseMigProfile(profile) !== undefined && toDottedProfile(profile) === text ? profile : undefined
}

/** Total order of profiles: memory of the name, then compute slices, then attributes; 0 only for equal profiles. */
export function compareMigProfiles(a: MigProfile, b: MigProfile): number {
  return (
    a.memoryGb - b.memoryGb ||
    a.gpuSlices - b.gpuSlices ||
    (a.instanceSlices ?? a.gpuSlices) - (b.instanceSlices ?? b.gpuSlices) ||
    compareText(a.attributes.join(''), b.attributes.join(''))
  )
}
