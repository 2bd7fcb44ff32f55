import { join } from 'node:path'

/** Release of Kubernetes that a bed can be. */
export type BedVersion = '1.34' | '1.36'

/** The releases that a bed can be, the oldest and the newest that we support, each pinned in a module file of its own. */
export const VERSIONS: Readonly<
  Record<BedVersion, { readonly release: readonly [number, number]; readonly moduleDirectory: string }>
> = {
  '1.34': { release: [1, 34], moduleDirectory: join(import.meta.dirname, 'versions', '1.34') },
  '1.36': { release: [1, 36], moduleDirectory: import.meta.dirname }
}

/** The names of `VERSIONS`, oldest first. */
export const VERSION_NAMES: readonly BedVersion[] = ['1.34', '1.36']

/** What a bed is when nobody asks for anything else. */
const DEFAULT_VERSION: BedVersion = '1.36'

/**
 * Environment variable that names the release of every bed of this process, such as `1.34`. It is handed on to processes of the product,
 * which refuse a `RIGHTSLICE_` that is no setting.
 */
export const VERSION_VARIABLE = 'BED_KUBERNETES'

/** A release, and whether it was asked for by name: then a newer one will not do. */
export type WantedVersion = { readonly version: BedVersion; readonly isNamed: boolean }

/**
 * The release that beds are started as.
 * @throws Error for a release that no module file pins
 */
export function bedVersion(named = process.env[VERSION_VARIABLE]): WantedVersion {
  if (!named) return { version: DEFAULT_VERSION, isNamed: false }
  const version = VERSION_NAMES.find((name) => name === named)
  if (version === undefined) {
    throw new Error(`${VERSION_VARIABLE} is ${named}; a bed can be ${VERSION_NAMES.join(' or ')}`)
  }
  return { version, isNamed: true }
}
