/** Collections that are read page by page. */
export type PagedKind =
  | 'namespaces'
  | 'nodes'
  | 'gpupolicies'
  | 'gpuworkloads'
  | 'gpuexemptions'
  | 'pods'
  | 'persistentvolumes'

/** What is to be read. */
export interface WantedPages {
  readonly kind: PagedKind
  /** Only what lies in this namespace; absent: everywhere. */
  readonly namespace?: string
  /** Only the object of this name, which needs no right to list; absent: all. */
  readonly name?: string
}

/** Reads collections once, a page at a time, so that only what is kept takes memory. */
export interface PageReader {
  /**
   * Hands over every object; the next page is asked for once `onPage` is done. What the cluster does not serve or does not
   * have gives no page, or an empty one.
   * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED, KUBE_EXPIRED, and what `onPage` throws
   */
  read(
    wanted: WantedPages,
    onPage: (objects: readonly unknown[]) => Promise<void>,
    signal: AbortSignal
  ): Promise<void>
}
