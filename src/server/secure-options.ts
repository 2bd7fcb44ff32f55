import type { ServerOptions } from 'node:https'

/** A server certificate with its key, PEM. */
export interface ServedCertificate {
  readonly certPem: string
  readonly keyPem: string
}

/**
 * The whole TLS side of the server; also for putting in a new certificate later, since that replaces all of it and what
 * is left out falls back to a default.
 * HTTP/1.1 only: the API server offers a Service nothing else.
 * @source kube-apiserver forces `http/1.1` for webhooks behind Services
 */
export function secureOptions({
  certPem,
  keyPem
}: ServedCertificate): Pick<ServerOptions, 'cert' | 'key' | 'minVersion' | 'ALPNProtocols'> {
  return { cert: certPem, key: keyPem, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] }
}
