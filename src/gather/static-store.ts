import type { ObjectStore, StoreState } from '../ports/object-store.ts'

/** How an object is found in a store. */
export type KeyOf<T> = (value: T) => { readonly namespace: string; readonly name: string }

const STATE: StoreState = { synced: true, lastHeardMs: 0, relists: 0, watchRestarts: 0, drift: 0 }

/** A store whose content never changes: a snapshot file, or the bundled cluster. */
export function staticStore<T>(values: readonly T[], keyOf: KeyOf<T>): ObjectStore<T> {
  const byKey = new Map(values.map((value) => [keyText(keyOf(value)), value]))
  return {
    get: (namespace, name) => byKey.get(keyText({ namespace, name })),
    list: () => values,
    version: () => 1,
    state: () => STATE,
    onChange: () => () => undefined
  }
}

function keyText({ namespace, name }: ReturnType<KeyOf<unknown>>): string {
  return `${namespace}/${name}`
}
