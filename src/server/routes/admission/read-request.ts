import { AppError } from '../../../core/errors.ts'
import { ReviewRequest } from '../../review.ts'

/**
 * The request of a review.
 * @throws AppError REVIEW_INVALID for a request of another shape
 */
export function readRequest(raw: unknown): ReviewRequest {
  const read = ReviewRequest.safeParse(raw)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new AppError('REVIEW_INVALID', `request.${issue?.path.join('.')}: ${issue?.message}`)
}

/** Empty for pods themselves; what is no pod counts as something that is not ours to change: `deployments/scale`. */
export function subResourceOf({ resource, subResource }: ReviewRequest): string {
  if (resource === undefined || (resource.group === '' && resource.resource === 'pods')) return subResource
  return subResource === '' ? resource.resource : `${resource.resource}/${subResource}`
}
