import { authoritySecret, webhookService } from '../../../src/core/api/names.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { connectCluster } from '../../../src/kube/connection.ts'
import { secretIn } from '../../../src/kube/secret.ts'
import { webhookTrust } from '../../../src/kube/webhook-trust.ts'
import { createWebhookMetrics } from '../../../src/observability/webhook-metrics.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { serveWebhook } from '../../../src/server/serve.ts'
import { CertificateKeeper } from '../../../src/tls/certificate-keeper.ts'
import type { CertificateTimes } from '../../../src/tls/due.ts'
import { serverNames } from '../../../src/tls/make-certificates.ts'
import { PRODUCT_NAMESPACE } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { someSettings } from '../../build/input.ts'
import { MemoryLog } from '../../fakes/memory-log.ts'
import { someStores } from '../../server/some-webhook.ts'

/** A replica of the webhook in this process: its real server and keeper, with times of its own. */
export interface Replica {
  readonly port: number
  readonly log: MemoryLog
  readonly stop: () => Promise<void>
}

const LEAP_MS = 30 * 86_400_000

/** A clock that is set a month forth, right and a month back in turn, each for three seconds; sleeps last as long as they should. */
export function leapingClock(): Clock {
  const leaps = [0, LEAP_MS, -LEAP_MS]
  const startMs = Date.now()
  const leapAt = (nowMs: number): number => leaps[Math.floor((nowMs - startMs) / 3000) % leaps.length] ?? 0
  return { ...systemClock, nowMs: () => Date.now() + leapAt(Date.now()) }
}

/** Starts a replica with the permissions of the manifests; it answers for namespace `team-a`. */
export async function startReplica(
  bed: Bed,
  times: CertificateTimes,
  clock: Clock = systemClock
): Promise<Replica> {
  const connection = await connectCluster({ kubeconfig: bed.kubeconfig('webhook') })
  const log = new MemoryLog()
  const metrics = createWebhookMetrics({ version: '0.0.0', nowMs: Date.now })
  const name = { namespace: PRODUCT_NAMESPACE, name: authoritySecret }
  const keeper = new CertificateKeeper({
    secrets: secretIn(connection, name),
    trust: webhookTrust(connection),
    names: serverNames({ service: webhookService, namespace: PRODUCT_NAMESPACE }),
    clock,
    random: Math.random,
    log,
    metrics,
    times
  })
  const end = new AbortController()
  const keeping = keeper.run(end.signal)
  const webhook = await serveWebhook({
    listen: { host: '127.0.0.1', port: 0, healthPort: 0 },
    certificates: keeper,
    stores: someStores(),
    settings: someSettings,
    log,
    metrics
  })
  return {
    port: Number(new URL(webhook.url).port),
    log,
    stop: async () => {
      await webhook.stop(0)
      end.abort()
      await keeping
      await connection.close()
    }
  }
}
