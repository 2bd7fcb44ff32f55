import type { ClosableTracer, OtlpTracerOptions } from './otlp-tracer.ts'

/**
 * The tracer of a process; undefined without an endpoint. What it is made of is loaded only where there is one: it is much, and
 * most installations do without.
 */
export async function openTracer(
  options: Omit<OtlpTracerOptions, 'endpoint'> & { readonly endpoint: string | undefined }
): Promise<ClosableTracer | undefined> {
  const { endpoint } = options
  if (endpoint === undefined) return undefined
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  return createOtlpTracer({ ...options, endpoint })
}
