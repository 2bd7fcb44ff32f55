import type { AppError } from '../../core/errors.ts'
import type { PagedKind } from '../../ports/page-reader.ts'

/** Collections that a sweep reads. */
export type SweptKind = Exclude<PagedKind, 'gpuworkloads'>

/** Something that could not be read, so that more may be wrong than is said. */
export interface SweepFault {
  readonly what: SweptKind
  /** undefined where it is about the whole cluster. */
  readonly namespace: string | undefined
  readonly error: AppError
}
