import type { AppError } from '../../core/errors.ts'
import type { PagedKind } from '../../ports/page-reader.ts'

/** Something that could not be read, so that more may be wrong than is said. */
export interface SweepFault {
  readonly what: PagedKind
  /** undefined where it is about the whole cluster. */
  readonly namespace: string | undefined
  readonly error: AppError
}
