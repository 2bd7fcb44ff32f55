import { setTimeout as pause } from 'node:timers/promises'
import type { DecisionSettings } from '../core/decision/decision.ts'
import { ClusterState, type ClusterStores, type Defer } from '../gather/cluster-state.ts'
import type { GpuPod } from '../gather/gpu-pod.ts'
import type { CertificateSource } from '../ports/certificate-source.ts'
import type { Log } from '../ports/log.ts'
import type { MetricsPage, OverloadMetrics, ReviewMetrics } from '../ports/metrics.ts'
import type { ObjectStore } from '../ports/object-store.ts'
import type { ReviewTracer } from '../ports/review-tracer.ts'
import { createApp, type WebhookApp } from './app.ts'
import { closeApp, trackConnections } from './close-app.ts'
import { type ClientAuthority, replaceCertificate } from './secure-options.ts'
import { serveHealth } from './serve-health.ts'
import { watchStaleness } from './stale-watch.ts'

/** What a serving webhook is made of. */
export interface ServeParts {
  /** Address and ports; port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number; readonly healthPort: number }
  readonly certificates: CertificateSource
  /** Whom to let call; default: whoever reaches the port. */
  readonly clients?: ClientAuthority
  readonly stores: ClusterStores
  /** Pods that take GPUs; without them it is not known what is taken. */
  readonly pods?: ObjectStore<GpuPod>
  /** Resolves once every store holds its first whole list, or rejects when the signal aborts; default: at once. */
  readonly whenSynced?: (signal: AbortSignal) => Promise<void>
  readonly settings: DecisionSettings
  readonly log: Log
  readonly metrics: ReviewMetrics & OverloadMetrics & MetricsPage
  /** Told of every review; default: nobody is. */
  readonly tracer?: ReviewTracer
  /** Ends a start that still waits. */
  readonly signal?: AbortSignal
}

/** A webhook that answers. */
export interface ServingWebhook {
  /** Where the API server calls, such as `https://127.0.0.1:8443`. */
  readonly url: string
  /** Where kubelet and Prometheus call. */
  readonly healthUrl: string
  /**
   * Stops: not ready any more, goes on answering for a while with `Connection: close`, then closes. Resolves when
   * nothing is open any more.
   * @param drainSeconds how long to go on answering
   */
  stop(drainSeconds: number): Promise<void>
}

/** Changes of the cluster are taken up together after this time, so that a burst of them costs one index, ms. */
const COALESCE_MS = 50

const coalesce: Defer = (task) => {
  setTimeout(task, COALESCE_MS).unref()
}

/** How far the process has come. */
type Phase = 'starting' | 'serving' | 'draining'

/**
 * Serves the webhooks and their health. Health is there at once; reviews are taken when the memory is complete and there is a
 * certificate, so until then the API server finds nobody and lets pods pass. Ready besides only when the certificate is believed.
 */
export async function serveWebhook(parts: ServeParts): Promise<ServingWebhook> {
  const { listen, stores, certificates, log, signal = new AbortController().signal } = parts
  let phase: Phase = 'starting'
  const health = await serveHealth({
    listen: { host: listen.host, port: listen.healthPort },
    stores: { ...stores },
    alsoMissing: () => [...certificates.missing(), ...(phase === 'serving' ? [] : [phase])],
    metrics: parts.metrics,
    log
  })
  try {
    await parts.whenSynced?.(signal)
    signal.throwIfAborted()
    const state = new ClusterState(stores, coalesce, parts.pods)
    const certificate = await certificates.current(signal)
    const app = createApp({ ...parts, certificate, state, isDraining: () => phase === 'draining' })
    const endReplacing = keepCertificate(app, parts)
    const endWatching = watchStaleness({ state, staleAfterMs: parts.settings.staleAfterMs, log })
    const open = trackConnections(app)
    const url = await app.listen({ host: listen.host, port: listen.port })
    phase = 'serving'
    log.info({ url }, 'webhook listens')
    const drainAndClose = async (drainSeconds: number): Promise<void> => {
      phase = 'draining'
      log.info({ drainSeconds }, 'webhook drains')
      await pause(drainSeconds * 1000)
      await Promise.all([closeApp(app, open), health.close()])
      endReplacing()
      endWatching()
      state.close()
      log.info({}, 'webhook stopped')
    }
    let stopping: Promise<void> | undefined
    return { url, healthUrl: health.url, stop: (drainSeconds) => (stopping ??= drainAndClose(drainSeconds)) }
  } catch (error) {
    await health.close()
    throw error
  }
}

/** Puts in every certificate that follows; returns a function that ends this. */
function keepCertificate(app: WebhookApp, { certificates, clients, log }: ServeParts): () => void {
  return certificates.onChange((certificate) => {
    try {
      replaceCertificate(app.server, certificate, clients)
      log.info({}, 'certificate replaced')
    } catch (err) {
      log.error({ err }, 'certificate cannot be used, the one before is served on')
    }
  })
}
