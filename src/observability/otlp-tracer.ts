import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import { showName } from '../core/rules/show.ts'
import type { Log } from '../ports/log.ts'
import type { ReviewTrace, ReviewTracer } from '../ports/review-tracer.ts'
import { tellingExporter } from './telling-exporter.ts'

/** Longest wait for a collector, with all attempts, ms; the process may live that long after its last answer. */
const EXPORT_MS = 3_000

/** Longest wait for the last spans when the process ends, ms. */
const FAREWELL_MS = 2_000

/** Spans that wait to be sent at most; what is more is dropped, 2,048 are about 2 MiB. */
const QUEUE_LENGTH = 2_048

/** Spans in one message: writing one costs less than a millisecond. */
const BATCH_LENGTH = 128

/** Pause before spans are sent, ms. */
const DELAY_MS = 2_000

/** What a tracer needs. */
export interface OtlpTracerOptions {
  /** Address of the collector, up to the part before `/v1/traces`. */
  readonly endpoint: string
  readonly version: string
  /** Name of this process among its like. */
  readonly instance: string
  readonly log: Log
}

/** A tracer, and its end. */
export interface ClosableTracer extends ReviewTracer {
  /** Sends what is left, within a bounded time. */
  close(): Promise<void>
}

/**
 * A tracer that sends each review as a span to a collector by OTLP over HTTP, in the background: a collector that is slow or dead
 * costs spans, and no answer waits for it. A review belongs to the trace of the API server's call, and is left out where that
 * was left out. Headers and TLS of the connection come from the standard variables `OTEL_EXPORTER_OTLP_…`.
 */
export function createOtlpTracer({ endpoint, version, instance, log }: OtlpTracerOptions): ClosableTracer {
  const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: EXPORT_MS })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'rightslice-webhook',
      'service.version': version,
      'service.instance.id': instance
    }),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [batching(tellingExporter(exporter, log))]
  })
  const tracer = provider.getTracer('rightslice', version)
  return {
    reviewed: (trace) => {
      try {
        addSpan(tracer, trace)
      } catch (err) {
        log.error({ err }, 'review not traced') // a fault of ours, and none of the pod that waits for its answer
      }
    },
    close: () => withinFarewell(provider.shutdown())
  }
}

function tracesUrl(endpoint: string): string {
  return `${endpoint.replace(/\/+$/, '')}/v1/traces`
}

function batching(exporter: SpanExporter): BatchSpanProcessor {
  return new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUE_LENGTH,
    maxExportBatchSize: BATCH_LENGTH,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: EXPORT_MS
  })
}

const propagator = new W3CTraceContextPropagator()

/** The review is over, so its span begins in the past. */
function addSpan(tracer: Tracer, trace: ReviewTrace): void {
  const endMs = Date.now()
  const parent = propagator.extract(ROOT_CONTEXT, trace.headers, defaultTextMapGetter)
  const startTime = endMs - trace.seconds * 1000
  const options = { kind: SpanKind.SERVER, startTime, attributes: attributesOf(trace) }
  const span = tracer.startSpan(trace.webhook, options, parent)
  if (trace.outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(endMs)
}

/** @source OpenTelemetry semantic conventions for `k8s.namespace.name`; the others are ours. */
function attributesOf({ uid, namespace, outcome, reason, rules, dryRun }: ReviewTrace) {
  return {
    'k8s.namespace.name': showName(namespace),
    'rightslice.review.uid': showName(uid),
    'rightslice.outcome': outcome,
    'rightslice.dry_run': dryRun,
    ...(reason === undefined ? {} : { 'rightslice.reason': reason }),
    ...(rules === undefined || rules.length === 0 ? {} : { 'rightslice.rules': [...rules] })
  }
}

/** What has not gone by then is lost, since the process has to end. */
async function withinFarewell(work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, FAREWELL_MS)
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
