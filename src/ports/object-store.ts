/** How fresh a store's content is. */
export interface StoreState {
  /** true once the first whole list has been read. */
  readonly synced: boolean
  /** Time at which the API server was last heard of (list, event or bookmark), ms since the epoch; 0 before the first. */
  readonly lastHeardMs: number
  /** How often the whole collection was listed anew after the first list. */
  readonly relists: number
  /** How often a watch was opened again. */
  readonly watchRestarts: number
}

/** Objects of one kind held in memory: reads never wait, and a miss is a value. */
export interface ObjectStore<T> {
  /** The object, or undefined when it is not known (yet). `namespace` is '' for cluster-scoped kinds. */
  get(namespace: string, name: string): T | undefined
  /** All objects, in no promised order. */
  list(): readonly T[]
  /** Grows by one at least with every change of content. */
  version(): number
  state(): StoreState
  /** Calls `listener` after each change; returns a function that ends this. */
  onChange(listener: () => void): () => void
}
