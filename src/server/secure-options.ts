import { constants, createPrivateKey, X509Certificate } from 'node:crypto'
import type { Server, ServerOptions } from 'node:https'
import type { ServedCertificate } from '../ports/certificate-source.ts'

/** Whom the server lets call; API servers show a certificate where they are told to. */
export interface ClientAuthority {
  /** Certificates that vouch for clients, PEM. */
  readonly caPem: string
  /** Common names that may call; empty: every client that is vouched for. */
  readonly names: readonly string[]
}

type SecureOptions = Pick<
  ServerOptions,
  | 'cert'
  | 'key'
  | 'minVersion'
  | 'ALPNProtocols'
  | 'ca'
  | 'requestCert'
  | 'rejectUnauthorized'
  | 'secureOptions'
>

/**
 * The whole TLS side of the server; also for putting in a new certificate later, since that replaces all of it and what
 * is left out falls back to a default.
 * HTTP/1.1 only: the API server offers a Service nothing else. Without session tickets where clients show certificates, so that
 * each connection shows one.
 * @source kube-apiserver forces `http/1.1` for webhooks behind Services
 */
export function secureOptions(
  { certPem, keyPem }: ServedCertificate,
  clients?: Pick<ClientAuthority, 'caPem'>
): SecureOptions {
  const options = {
    cert: certPem,
    key: keyPem,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1']
  } as const
  if (clients === undefined) return { ...options, ALPNProtocols: [...options.ALPNProtocols] }
  return {
    ...options,
    ALPNProtocols: [...options.ALPNProtocols],
    ca: clients.caPem,
    requestCert: true,
    rejectUnauthorized: true,
    secureOptions: constants.SSL_OP_NO_TICKET
  }
}

/**
 * Has a running server use another certificate for new connections; those that are open keep theirs. Node would take empty texts
 * without a word and then fail every handshake, so it is looked at first.
 * @throws Error when it cannot be used; the server then goes on with the one that it has
 */
export function replaceCertificate(
  server: Pick<Server, 'setSecureContext'>,
  certificate: ServedCertificate,
  clients?: Pick<ClientAuthority, 'caPem'>
): void {
  const isPair = new X509Certificate(certificate.certPem).checkPrivateKey(
    createPrivateKey(certificate.keyPem)
  )
  if (!isPair) throw new Error('the key does not belong to the certificate')
  server.setSecureContext(secureOptions(certificate, clients))
}
