import type { Log } from '../ports/log.ts'
import type { MetricsPage } from '../ports/metrics.ts'
import type { ObjectStore } from '../ports/object-store.ts'
import { closeApp, trackConnections } from './close-app.ts'
import { createHealthApp } from './health.ts'

/** What a process tells of its health. */
export interface ServeHealthParts {
  /** Address and port; port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** By name; each is missing until it holds its first whole list. */
  readonly stores: Readonly<Record<string, ObjectStore<unknown>>>
  /** What else is missing before the process is ready; default: nothing. */
  readonly alsoMissing?: () => readonly string[]
  readonly metrics: MetricsPage
  readonly log: Log
}

/** A health server that answers. */
export interface ServingHealth {
  readonly url: string
  close(): Promise<void>
}

/** Serves health and metrics on a plain port of their own. */
export async function serveHealth(parts: ServeHealthParts): Promise<ServingHealth> {
  const { listen, stores, alsoMissing = () => [], metrics, log } = parts
  const missing = (): readonly string[] => [...unsyncedOf(stores), ...alsoMissing()]
  const app = createHealthApp({ missing, metrics })
  const open = trackConnections(app)
  const url = await app.listen(listen)
  log.info({ healthUrl: url }, 'health server listens')
  return { url, close: () => closeApp(app, open) }
}

function unsyncedOf(stores: ServeHealthParts['stores']): readonly string[] {
  return Object.entries(stores).flatMap(([name, store]) => (store.state().synced ? [] : [name]))
}
