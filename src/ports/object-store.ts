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
  /** Objects that a check against a fresh list found to differ from what events had told; each is a defect that was put right. */
  readonly drift: number
}

/** What became of one object: it is new where there is no `before`, and gone where there is no `after`. */
export interface ObjectChange<T> {
  readonly before: T | undefined
  readonly after: T | undefined
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
  /**
   * Calls `listener` after each change of content with the objects that changed, each once; returns a function that ends this.
   * What `list` gave before, with all changes since, is what it gives now.
   */
  onChange(listener: (changes: readonly ObjectChange<T>[]) => void): () => void
}
