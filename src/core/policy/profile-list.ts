import { profileRule } from '../api/gpu-policy-rules.ts'
import { fromDottedProfile, parseMigProfile, printMigProfile } from '../gpu/profile.ts'

/** An entry of a list that does not count, and why. */
export interface RefusedEntry {
  /** Its place in the list, from 0. */
  readonly index: number
  readonly value: unknown
  readonly message: string
}

/** A list of MIG profiles as far as it could be read. */
export interface ProfileList {
  /** Canonical names, each once, in the order given. */
  readonly profiles: readonly string[]
  readonly refused: readonly RefusedEntry[]
}

function canonicalName(value: unknown): string | undefined {
  if (typeof value !== 'string') {
    return undefined
  }
  const name = value
    .trim()
    .toLowerCase()
    .replace(/^(nvidia\.com\/)?mig-/, '')
  const profile = parseMigProfile(fromDottedProfile(name) ?? name)
  return profile === undefined ? undefined : printMigProfile(profile)
}

function whyRefused(name: string | undefined): string {
  return name === undefined
    ? profileRule.message
    : 'names a compute instance, which the device plugin does not offer; must be the profile of the whole GPU instance'
}

/**
 * Reads MIG profiles as people copy them: canonical (`1g.10gb+me`), with the prefix of labels or resources
 * (`mig-1g.10gb`, `nvidia.com/mig-1g.10gb.me`), in capitals, with blanks around. A refused entry does not count and the others
 * do; when every entry was refused the list is empty, which allows nothing.
 */
export function parseProfileList(values: readonly unknown[]): ProfileList {
  const read = values.map((value, index) => ({ index, value, name: canonicalName(value) }))
  const isOffered = (name: string | undefined): name is string =>
    name !== undefined && parseMigProfile(name)?.instanceSlices === undefined
  const good = read.map(({ name }) => name).filter(isOffered)
  const bad = read.filter(({ name }) => !isOffered(name))
  return {
    profiles: [...new Set(good)],
    refused: bad.map(({ index, value, name }) => ({ index, value, message: whyRefused(name) }))
  }
}
