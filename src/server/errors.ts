import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** Body of every answer that is neither a review nor a page. */
interface ErrorBody {
  /** Code of the fault, for programs. */
  readonly code: string
  readonly message: string
}

/** Answers a path or method that is not served. */
export function answerNotFound({ method }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const body: ErrorBody = { code: 'NOT_FOUND', message: `${method} of this path is not served` }
  return reply.code(404).send(body)
}

/** Status and sentence for a request that fastify refused before a handler saw it. */
export function describeRefusal({ statusCode, code, message }: FastifyError): {
  readonly status: number
  readonly body: ErrorBody
} {
  const status = statusCode !== undefined && statusCode >= 400 ? statusCode : 500
  const told = status < 500 ? message : 'internal error'
  return { status, body: { code: code ?? 'INTERNAL', message: told } }
}
