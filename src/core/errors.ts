/** Codes of every fault that the project throws; branch on these, never on message text. */
export const errorCodes = {
  CONFIG_INVALID: 'A setting is missing or has a value that is not allowed',
  POLICY_INVALID: 'A GpuPolicy holds a value that is not allowed',
  FILE_INVALID: 'A file could not be read as what it should hold',
  REVIEW_INVALID: 'A request is not an AdmissionReview of admission.k8s.io/v1',
  KUBE_UNREACHABLE: 'The Kubernetes API could not be reached',
  KUBE_UNAVAILABLE: 'The Kubernetes API cannot serve for now: too many requests, or a fault of its own',
  KUBE_REFUSED: 'The Kubernetes API refused a request',
  KUBE_EXPIRED: 'The resource version that was asked for is too old',
  SOURCE_UNREACHABLE: 'The source of GPU metrics could not be read',
  CERTIFICATE_INVALID: 'A certificate or key cannot be used',
  PATCH_INVALID: 'A patch does not apply to the object it was made for',
  PLAN_INVALID: 'A plan does not hold what it was made for',
  SOLVER_FAILED: 'The solver of integer programs broke off',
  USAGE_WRONG: 'A command was called with arguments that do not fit'
} as const

/** One code of the table `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes

/** A fault with a stable code; the message says what, which and the value seen. */
export class AppError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
  }
}
