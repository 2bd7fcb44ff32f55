import { stringMapOf } from '../json.ts'

/** What Kueue writes on whatever it manages, and people on what it is to manage, begins with this. @source Kueue documentation, labels and annotations */
const KUEUE = 'kueue.x-k8s.io/'

/** The first of the keys that shows Kueue's hand; undefined where none does. */
export function kueueMarkIn(keys: readonly string[]): string | undefined {
  return keys.filter((key) => key.startsWith(KUEUE)).sort()[0]
}

/** The first label or annotation of an object that shows Kueue's hand. */
export function kueueMarkOf(metadata: unknown): string | undefined {
  const keysOf = (field: string): readonly string[] => Object.keys(stringMapOf(metadata, field))
  return kueueMarkIn([...keysOf('labels'), ...keysOf('annotations')])
}
