import { issueAuthority, issueServerCertificate } from './issue.ts'

/** The Service that a server certificate is for. */
export interface ServiceName {
  /** Name of the Service that the API server calls. */
  readonly service: string
  readonly namespace: string
  /** DNS domain of the cluster; default `cluster.local`. */
  readonly clusterDomain?: string
}

/** Whom the certificates are for, and for how long. */
export interface CertificateOrder extends ServiceName {
  /** Addresses that the server may be called by; default none, `127.0.0.1` for tests and the demo. */
  readonly ipAddresses?: readonly string[]
  readonly nowMs: number
  /** Days from now until both certificates end. */
  readonly validDays: number
}

/** A certificate authority's certificate, and a server certificate of it with its key; all PEM. */
export interface CertificateSet {
  readonly caPem: string
  readonly certPem: string
  readonly keyPem: string
}

/** Certificates begin a little before now, so that a clock that is behind accepts them, ms. */
const BACKDATE_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** Names by which a Service of the cluster is called, and `localhost`. @source kube-apiserver asks for `<service>.<namespace>.svc` */
export function serverNames({
  service,
  namespace,
  clusterDomain = 'cluster.local'
}: ServiceName): readonly string[] {
  const inNamespace = `${service}.${namespace}`
  return [service, inNamespace, `${inNamespace}.svc`, `${inNamespace}.svc.${clusterDomain}`, 'localhost']
}

/**
 * Makes a certificate authority and one server certificate, both ECDSA P-256. The authority's key is thrown away,
 * so nothing else can ever be signed with it.
 */
export async function makeCertificates(order: CertificateOrder): Promise<CertificateSet> {
  const { nowMs, validDays, ipAddresses = [] } = order
  const validity = { notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: nowMs + validDays * DAY_MS }
  const authority = await issueAuthority(validity)
  const leaf = await issueServerCertificate({ validity, authority, names: serverNames(order), ipAddresses })
  return { caPem: authority.certPem, ...leaf }
}
