import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** Labels and value of one series of an exporter's page. */
export interface PageSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Printed as it is. */
  readonly value: number | string
}

/** A dcgm-exporter as far as a scrape goes. */
export interface FakeExporter {
  /** `http://127.0.0.1:PORT/metrics` */
  readonly url: string
  /** `127.0.0.1:PORT` */
  readonly address: string
  series: readonly PageSeries[]
  /** Answers in place of the page. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  close(): Promise<void>
}

/** Starts an exporter with an empty page on a free loopback port. */
export async function startFakeExporter(): Promise<FakeExporter> {
  const state: Pick<FakeExporter, 'series' | 'misbehave'> = { series: [], misbehave: undefined }
  const server = createServer((request, response) => {
    if (state.misbehave !== undefined) return state.misbehave(request, response)
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
    response.end(exporterPage(state.series))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/metrics`,
    address: `127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
}

/** The page in the exporter's own text format: help and type before each metric. @source NVIDIA/dcgm-exporter pkg rendermetrics */
export function exporterPage(series: readonly PageSeries[]): string {
  const names = [...new Set(series.map(({ name }) => name))]
  return names.map((name) => pageOf(name, series)).join('')
}

function pageOf(name: string, series: readonly PageSeries[]): string {
  const lines = series
    .filter((one) => one.name === name)
    .map(({ labels, value }) => `${name}{${Object.entries(labels).map(labelText).join(',')}} ${value}`)
  return `# HELP ${name} ${name} of the device.\n# TYPE ${name} gauge\n${lines.join('\n')}\n`
}

function labelText([name, value]: readonly [string, string]): string {
  const escaped = value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
  return `${name}="${escaped}"`
}
