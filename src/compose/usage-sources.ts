import { readMetricNames, readOwnerLabels, readParameters } from '../config/metric-settings.ts'
import type { Config } from '../config/schema.ts'
import { ChoosingSource } from '../controllers/choosing-source.ts'
import type { ControllerStores } from '../controllers/controller-stores.ts'
import { scrapeInRounds } from '../controllers/scrape-loop.ts'
import { fieldOf, isRecord } from '../core/json.ts'
import { nodesInUse } from '../gather/nodes-in-use.ts'
import { readServiceRecord } from '../gather/service-record.ts'
import { systemClock } from '../kube/clock.ts'
import type { KubeConnection } from '../kube/connection.ts'
import { listCollection } from '../kube/list-collection.ts'
import type { KeptMaxima, KeptSeries } from '../ports/kept-maxima.ts'
import type { Log } from '../ports/log.ts'
import type { UsageSource } from '../ports/usage-source.ts'
import { chooseExporters, choosePrometheus } from '../prometheus/discover.ts'
import { openPrometheus } from '../prometheus/prometheus-source.ts'
import { openScraping, type ScrapeSource } from '../prometheus/scrape-source.ts'
import type { AccessFiles, PrometheusOptions } from '../prometheus/source-options.ts'

/** Where the controller reads GPU use. */
export interface Sources {
  readonly source: UsageSource
  /** What scraping gathers, to be kept; absent where nothing is ever scraped. */
  readonly kept?: KeptMaxima
  /** Scrapes in rounds where that is wanted; until the signal aborts. */
  readonly scrape: (signal: AbortSignal, onRound: () => void) => Promise<void>
}

/**
 * The metrics server by its address or by its labels, and scraping where there is none or nothing else is wanted.
 * @throws AppError CONFIG_INVALID
 */
export function openSources(
  config: Config,
  {
    connection,
    stores,
    log
  }: { readonly connection: KubeConnection; readonly stores: ControllerStores; readonly log: Log }
): Sources {
  const open = (url: string): UsageSource => openPrometheus(prometheusOptions(config, url))
  if (config.usageSource !== 'scrape' && config.prometheusUrl !== undefined) {
    return { source: open(config.prometheusUrl), scrape: scrapeNothing }
  }
  const scraping =
    config.usageSource === 'prometheus'
      ? undefined
      : openScraping({
          targets: () => exporters(stores),
          nodes: () => nodesInUse(stores.pods.list()),
          metrics: readMetricNames(config.metricNames),
          series: config.usageSeries
        })
  const source = new ChoosingSource({
    find: async (signal) => {
      if (config.usageSource === 'scrape') return undefined
      const found = await findPrometheus(connection, signal)
      if (found.kind === 'none') return undefined
      const { url, server, service, others } = found
      return {
        name: url,
        open: () => {
          log.info({ url, server, service, others }, 'metrics server found')
          return open(url)
        }
      }
    },
    ...(scraping === undefined ? {} : { fallback: scraping })
  })
  return {
    source,
    ...(scraping === undefined ? {} : { kept: keptBy(scraping, source) }),
    scrape:
      scraping === undefined
        ? scrapeNothing
        : (signal, onRound) => scrapeWhile(scraping, { source, log, onRound }, signal)
  }
}

/** Where a server was found, what was scraped before stays until its days are over: that server may not have them. */
function keptBy(scraping: ScrapeSource, source: ChoosingSource): KeptMaxima {
  const give = (): readonly KeptSeries[] =>
    scraping.export().series.flatMap((series) => (hasLabels(series) ? [series] : []))
  return {
    isGathering: () => !source.isFound || give().length > 0,
    give,
    take: (series) => scraping.restore({ version: 1, series })
  }
}

function hasLabels(series: unknown): series is KeptSeries {
  return isRecord(fieldOf(series, 'labels'))
}

async function scrapeNothing(_signal: AbortSignal, onRound: () => void): Promise<void> {
  onRound()
}

async function scrapeWhile(
  scraping: ScrapeSource,
  {
    source,
    log,
    onRound
  }: { readonly source: ChoosingSource; readonly log: Log; readonly onRound: () => void },
  signal: AbortSignal
): Promise<void> {
  const scrape = (nowMs: number, inner: AbortSignal) => scraping.scrape(nowMs, inner)
  await scrapeInRounds({ scrape, isWanted: () => !source.isFound, onRound, clock: systemClock, log }, signal)
}

function exporters({ pods }: ControllerStores): ReturnType<typeof chooseExporters> {
  return chooseExporters(pods.list().flatMap(({ exporter }) => exporter ?? []))
}

async function findPrometheus(
  connection: KubeConnection,
  signal: AbortSignal = new AbortController().signal
): Promise<ReturnType<typeof choosePrometheus>> {
  const services: NonNullable<ReturnType<typeof readServiceRecord>>[] = []
  const resource = { path: '/api/v1/services', kind: 'Service' }
  await listCollection({ connection, resource, metadataOnly: false, pageSize: 500, signal }, (raw) => {
    const service = readServiceRecord(raw)
    if (service !== undefined) services.push(service)
  })
  return choosePrometheus(services)
}

/** How the server is asked, as the settings say. */
export function prometheusOptions(config: Config, url: string): PrometheusOptions {
  const ownerLabels = readOwnerLabels(config.ownerLabels)
  return {
    url,
    access: accessFiles(config),
    limits: { requestTimeoutMs: config.prometheusTimeoutSeconds * 1000, series: config.usageSeries },
    parameters: readParameters(config.prometheusParameters),
    metrics: readMetricNames(config.metricNames),
    ...(ownerLabels === undefined ? {} : { ownerLabels })
  }
}

function accessFiles(config: Config): AccessFiles {
  const files: Partial<Record<keyof AccessFiles, string | undefined>> = {
    bearerTokenFile: config.prometheusTokenFile,
    username: config.prometheusUsername,
    passwordFile: config.prometheusPasswordFile,
    caFile: config.prometheusCaFile,
    certificateFile: config.prometheusCertificateFile,
    keyFile: config.prometheusKeyFile,
    tenant: config.prometheusTenant,
    tenantFile: config.prometheusTenantFile
  }
  return Object.fromEntries(Object.entries(files).filter(([, value]) => value !== undefined))
}
