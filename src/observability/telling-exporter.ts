import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../ports/log.ts'

/** The exporter, with one line in the log when it begins to fail and one when that ends. */
export function tellingExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let fails = false
  const tell = ({ code, error }: ExportResult, spans: number): void => {
    const failed = code !== ExportResultCode.SUCCESS
    if (failed && !fails) log.warn({ spans, err: error }, 'traces not sent')
    if (!failed && fails) log.info({ spans }, 'traces are sent again')
    fails = failed
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        tell(result, spans.length)
        done(result)
      }),
    shutdown: () => exporter.shutdown()
  }
}
