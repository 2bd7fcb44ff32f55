import type { Config } from '../config/schema.ts'
import {
  authoritySecret,
  type WebhookConfiguration,
  webhookConfigurations,
  webhookService
} from '../core/api/names.ts'
import { systemClock } from '../kube/clock.ts'
import type { KubeConnection } from '../kube/connection.ts'
import type { Reflector } from '../kube/reflector.ts'
import { secretIn } from '../kube/secret.ts'
import { bundlesIn, configurationResource, webhookTrust } from '../kube/webhook-trust.ts'
import type { CertificateMetrics } from '../ports/certificate-metrics.ts'
import type { CertificateSource } from '../ports/certificate-source.ts'
import type { Log } from '../ports/log.ts'
import { CertificateKeeper } from '../tls/certificate-keeper.ts'
import { FileCertificates } from '../tls/file-certificates.ts'
import { serverNames } from '../tls/make-certificates.ts'
import { type MirrorMeans, mirror } from './cluster-reader.ts'

/** Certificates that somebody keeps. */
export interface KeptCertificates extends CertificateSource {
  /** Keeps them until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * The certificates of the webhook as the settings say: from files, or kept by ourselves.
 * @throws AppError CERTIFICATE_INVALID when files cannot be used
 */
export async function openCertificates(
  config: Pick<Config, 'certificates' | 'tlsCertFile' | 'tlsKeyFile' | 'ownNamespace'>,
  parts: {
    readonly connection: KubeConnection
    readonly log: Log
    readonly metrics: CertificateMetrics
  }
): Promise<KeptCertificates> {
  const { log, metrics } = parts
  if (config.certificates === 'managed') return manage(config.ownNamespace, parts)
  const files = { certFile: config.tlsCertFile, keyFile: config.tlsKeyFile }
  return await FileCertificates.open({ files, clock: systemClock, log, metrics })
}

function manage(
  namespace: string,
  parts: MirrorMeans & { readonly metrics: CertificateMetrics }
): KeptCertificates {
  const { connection } = parts
  const keeper = new CertificateKeeper({
    ...parts,
    secrets: secretIn(connection, { namespace, name: authoritySecret }),
    trust: webhookTrust(connection),
    names: serverNames({ service: webhookService, namespace }),
    clock: systemClock,
    random: Math.random
  })
  const run = async (signal: AbortSignal): Promise<void> => {
    const mirrors = webhookConfigurations.map((one) => watchBundles(parts, one, () => keeper.wake()))
    await keeper.run(signal)
    await Promise.all(mirrors.map((one) => one.stop()))
  }
  return {
    run,
    current: (signal) => keeper.current(signal),
    onChange: (listener) => keeper.onChange(listener),
    missing: () => keeper.missing()
  }
}

/** A bundle that somebody else changes is put right at once, not with the next look. */
function watchBundles(
  means: MirrorMeans,
  configuration: WebhookConfiguration,
  onChange: () => void
): Reflector<ReturnType<typeof bundlesIn>> {
  const { connection, log } = means
  const resource = configurationResource(configuration)
  const mirrored = mirror({ connection, log }, { resource, project: bundlesIn })
  mirrored.onChange(onChange)
  mirrored.start()
  return mirrored
}
