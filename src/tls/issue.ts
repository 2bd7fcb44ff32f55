import { webcrypto } from 'node:crypto'
import type * as X509Module from '@peculiar/x509'

/** From when to when a certificate is valid, ms since the epoch. */
export interface Validity {
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** A certificate and its private key, PEM. */
export interface KeyedCertificate {
  readonly certPem: string
  readonly keyPem: string
}

/** Whom a server certificate is for. */
export interface ServerOrder {
  readonly validity: Validity
  /** The authority that signs. */
  readonly authority: KeyedCertificate
  /** DNS names; the first one is the common name too. */
  readonly names: readonly string[]
  /** Addresses that the server may be called by. */
  readonly ipAddresses?: readonly string[]
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

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

/** Makes a certificate authority, ECDSA P-256, that may sign server certificates and no further authority. */
export async function issueAuthority(validity: Validity): Promise<KeyedCertificate> {
  const x509 = await loadX509()
  const keys = await generateKeys()
  const usages = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=rightslice webhook CA',
    ...datesOf(validity),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(usages, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)
    ]
  })
  return await keyed(x509, certificate, keys.privateKey)
}

/**
 * Makes a server certificate, ECDSA P-256, with a key of its own.
 * @throws Error when the authority's certificate or key is no PEM of this kind
 */
export async function issueServerCertificate(order: ServerOrder): Promise<KeyedCertificate> {
  const { validity, authority, names, ipAddresses = [] } = order
  const x509 = await loadX509()
  const keys = await generateKeys()
  const issuer = new x509.X509Certificate(authority.certPem)
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? ''}`,
    issuer: issuer.subject,
    ...datesOf(validity),
    publicKey: keys.publicKey,
    signingKey: await importKey(x509, authority.keyPem),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns', value }) as const),
        ...ipAddresses.map((value) => ({ type: 'ip', value }) as const)
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export())
    ]
  })
  return await keyed(x509, certificate, keys.privateKey)
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function importKey(x509: X509, keyPem: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = x509.PemConverter.decodeFirst(keyPem)
  return webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
}

async function keyed(
  x509: X509,
  certificate: X509Module.X509Certificate,
  privateKey: webcrypto.CryptoKey
): Promise<KeyedCertificate> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return {
    certPem: withNewline(certificate.toString('pem')),
    keyPem: withNewline(x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'))
  }
}

function datesOf({ notBeforeMs, notAfterMs }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(notBeforeMs), notAfter: new Date(notAfterMs) }
}

function withNewline(pem: string): string {
  return pem.endsWith('\n') ? pem : `${pem}\n`
}
