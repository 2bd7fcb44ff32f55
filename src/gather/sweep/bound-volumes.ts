import { AppError } from '../../core/errors.ts'
import { type HostPersistentVolume, readHostPersistentVolume } from '../../core/pod/persistent-volume.ts'
import type { PageReader } from '../../ports/page-reader.ts'

/** The volumes that claims are bound to, or why they are not known. */
export type BoundVolumes =
  | {
      readonly kind: 'read'
      /** The volume that a claim leads to; undefined where it reaches no node. */
      readonly volumeOf: (namespace: string, claim: string) => HostPersistentVolume | undefined
    }
  | { readonly kind: 'unread'; readonly error: AppError }

/**
 * Reads the PersistentVolumes of the cluster; kept are those that name a path of a node and are bound in one of the namespaces.
 * @throws the signal's reason when it aborts
 */
export async function readBoundVolumes(
  reader: PageReader,
  namespaces: readonly { readonly name: string }[],
  signal: AbortSignal
): Promise<BoundVolumes> {
  const wanted = new Set(namespaces.map(({ name }) => name))
  const volumes = new Map<string, HostPersistentVolume>()
  const onPage = async (objects: readonly unknown[]): Promise<void> => {
    for (const volume of objects.flatMap((raw) => readHostPersistentVolume(raw) ?? [])) {
      const { namespace, name } = volume.claim
      if (wanted.has(namespace)) volumes.set(`${namespace}/${name}`, volume)
    }
  }
  try {
    await reader.read({ kind: 'persistentvolumes' }, onPage, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    return { kind: 'unread', error }
  }
  return { kind: 'read', volumeOf: (namespace, claim) => volumes.get(`${namespace}/${claim}`) }
}
