import { webcrypto } from 'node:crypto'
import type * as X509Module from '@peculiar/x509'

/** Whom the certificates are for, and for how long. */
export interface CertificateOrder {
  /** Name of the Service that the API server calls. */
  readonly service: string
  readonly namespace: string
  /** DNS domain of the cluster; default `cluster.local`. */
  readonly clusterDomain?: string
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

interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

interface Signer {
  readonly certificate: X509Module.X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Certificates begin a little before now, so that a clock that is behind accepts them, ms. */
const BACKDATE_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** Names by which a Service of the cluster is called, and `localhost`. @source kube-apiserver asks for `<service>.<namespace>.svc` */
export function serverNames({
  service,
  namespace,
  clusterDomain = 'cluster.local'
}: CertificateOrder): string[] {
  const inNamespace = `${service}.${namespace}`
  return [service, inNamespace, `${inNamespace}.svc`, `${inNamespace}.svc.${clusterDomain}`, 'localhost']
}

/**
 * Makes a certificate authority and one server certificate, both ECDSA P-256. The authority's key is thrown away,
 * so nothing else can ever be signed with it.
 */
export async function makeCertificates(order: CertificateOrder): Promise<CertificateSet> {
  const x509 = await loadX509()
  const validity: Validity = {
    notBefore: new Date(order.nowMs - BACKDATE_MS),
    notAfter: new Date(order.nowMs + order.validDays * DAY_MS)
  }
  const authority = await makeAuthority(x509, validity)
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const leaf = await makeLeaf(x509, { order, validity, authority, publicKey: keys.publicKey })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    caPem: withNewline(authority.certificate.toString('pem')),
    certPem: withNewline(leaf.toString('pem')),
    keyPem: withNewline(x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'))
  }
}

type X509 = typeof X509Module

/**
 * Loaded only where certificates are made: a webhook that reads its certificate from files does not pay for it.
 * The library does not load without the metadata functions of `Reflect`.
 */
async function loadX509(): Promise<X509> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  return x509
}

async function makeAuthority(x509: X509, validity: Validity): Promise<Signer> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const usages = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=rightslice webhook CA',
    ...validity,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(usages, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)
    ]
  })
  return { certificate, keys }
}

interface LeafOrder {
  readonly order: CertificateOrder
  readonly validity: Validity
  readonly authority: Signer
  readonly publicKey: webcrypto.CryptoKey
}

async function makeLeaf(
  x509: X509,
  { order, validity, authority, publicKey }: LeafOrder
): Promise<X509Module.X509Certificate> {
  const names = serverNames(order)
  const subjectNames = [
    ...names.map((value) => ({ type: 'dns', value }) as const),
    ...(order.ipAddresses ?? []).map((value) => ({ type: 'ip', value }) as const)
  ]
  return x509.X509CertificateGenerator.create({
    subject: `CN=${order.service}`,
    issuer: authority.certificate.subject,
    ...validity,
    publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(subjectNames),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority.keys.publicKey)
    ]
  })
}

function withNewline(pem: string): string {
  return pem.endsWith('\n') ? pem : `${pem}\n`
}
