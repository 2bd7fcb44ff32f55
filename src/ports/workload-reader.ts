/** Reads single objects that are pods or make pods. */
export interface WorkloadReader {
  /**
   * The object; undefined where there is none of that name, its kind is not one that is read, or it must not be read.
   * @param type kind in lower case: `deployment`
   * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED
   */
  read(type: string, namespace: string, name: string): Promise<unknown>
}
