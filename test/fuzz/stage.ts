import { ClusterState } from '../../src/gather/cluster-state.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { createWebhookMetrics } from '../../src/observability/webhook-metrics.ts'
import type { ReviewFailure } from '../../src/ports/metrics.ts'
import { type AppParts, createApp, type WebhookApp } from '../../src/server/app.ts'
import { NOW_MS, someSettings } from '../build/input.ts'
import { someCertificate } from '../server/some-webhook.ts'
import { fuzzedCluster } from './cluster.ts'

/** Paths of the three webhooks. */
export const paths = ['/rewrite', '/isolation', '/advice'] as const

/** Path of one webhook. */
export type WebhookPath = (typeof paths)[number]

/** What a webhook answered. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** The webhooks as the process serves them, over a cluster that is made up. */
export interface Stage {
  readonly app: WebhookApp
  /** Sends a body past the socket: reading of the body, routes, handlers and the writing of the answer are those of the server. */
  send(path: WebhookPath, body: Buffer): Promise<Answer>
  /** What failed since the last call, with what the log says of it. */
  takeFailures(): readonly { readonly cause: ReviewFailure; readonly told: string }[]
  close(): Promise<void>
}

/**
 * Puts the webhooks together with the metrics and the log that they have in a cluster; the log goes nowhere.
 * @param changes parts that are exchanged, to plant a fault
 */
export function setStage(changes: Pick<AppParts, 'toPatch'> = {}): Stage {
  const failures: ReviewFailure[] = []
  let lastError = ''
  const log = createLogger({
    level: 'info',
    destination: {
      write: (line) => {
        if (line.startsWith('{"level":"error"')) lastError = line.slice(0, 2000)
      }
    }
  })
  const metrics = createWebhookMetrics({ version: '0.0.0', nowMs: () => NOW_MS })
  const state = new ClusterState(fuzzedCluster(), (task) => task())
  const app = createApp({
    certificate: someCertificate,
    isDraining: () => false,
    state,
    settings: someSettings,
    log,
    metrics: {
      reviewed: (record) => metrics.reviewed(record),
      judged: (record) => metrics.judged(record),
      shed: (webhook, cause) => metrics.shed(webhook, cause),
      connectionCut: (cause) => metrics.connectionCut(cause),
      failed: (webhook, cause) => {
        metrics.failed(webhook, cause)
        failures.push(cause)
      }
    },
    nowMs: () => NOW_MS,
    ...changes
  })
  return {
    app,
    send: async (url, payload) => {
      const headers = { 'content-type': 'application/json' }
      const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload })
      return { status: statusCode, text: body }
    },
    takeFailures: () => failures.splice(0).map((cause) => ({ cause, told: lastError })),
    close: async () => {
      await app.close()
      state.close()
    }
  }
}
