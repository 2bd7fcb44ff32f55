import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Validity } from './issue.ts'

/** A certificate authority of ours. */
export interface Authority extends Validity {
  readonly certPem: string
  /** Absent where it signs nothing any more, and is only believed. */
  readonly keyPem?: string
  /** SHA-256 of the certificate; tells authorities apart, since all have one name. */
  readonly fingerprint: string
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The authority that a certificate is of, undefined where it is no authority's certificate in PEM form.
 * A key that cannot be read, is of another certificate, or is of another kind than ours is left out.
 */
export function readAuthority(certPem: string, keyPem?: string): Authority | undefined {
  const certificate = parseCertificate(certPem)
  if (certificate?.ca !== true) return undefined
  const authority = {
    certPem: certificate.toString(),
    fingerprint: certificate.fingerprint256,
    notBeforeMs: certificate.validFromDate.getTime(),
    notAfterMs: certificate.validToDate.getTime()
  }
  const key = keyPem === undefined ? undefined : readKey(keyPem, certificate)
  return key === undefined ? authority : { ...authority, keyPem: key }
}

/** Authorities of a bundle of certificates, each once; what is no authority's certificate is left out. */
export function authoritiesIn(bundlePem: string): readonly Authority[] {
  const found = (bundlePem.match(pemBlock) ?? []).flatMap((pem) => readAuthority(pem) ?? [])
  return eachOnce(found)
}

/** Authorities by their certificate; of several with one certificate the first counts. */
export function eachOnce(authorities: readonly Authority[]): readonly Authority[] {
  const known = new Map<string, Authority>()
  for (const authority of authorities) {
    if (!known.has(authority.fingerprint)) known.set(authority.fingerprint, authority)
  }
  return [...known.values()]
}

/** Whether it is among them. */
export function isAmong(
  authority: Pick<Authority, 'fingerprint'>,
  others: readonly Pick<Authority, 'fingerprint'>[]
): boolean {
  return others.some(({ fingerprint }) => fingerprint === authority.fingerprint)
}

/** An authority that is still believed after its key is gone. */
export function withoutKey({ keyPem: _gone, ...believed }: Authority): Authority {
  return believed
}

/** An authority that can sign now: its key is there, and it is valid. */
export type SigningAuthority = Authority & { readonly keyPem: string }

/** Whether an authority can sign now. */
export function canSign(authority: Authority | undefined, nowMs: number): authority is SigningAuthority {
  return authority?.keyPem !== undefined && isValidAt(authority, nowMs)
}

/** Whether a certificate is valid at a time. */
export function isValidAt({ notBeforeMs, notAfterMs }: Validity, nowMs: number): boolean {
  return notBeforeMs <= nowMs && nowMs < notAfterMs
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined // whatever it is, it is no certificate
  }
}

/** The key as PKCS 8, when it is one of ours: ECDSA P-256, and that of the certificate. */
function readKey(keyPem: string, certificate: X509Certificate): string | undefined {
  try {
    const key = createPrivateKey(keyPem)
    const isOurKind = key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isOurKind && certificate.checkPrivateKey(key)
      ? String(key.export({ type: 'pkcs8', format: 'pem' }))
      : undefined
  } catch {
    return undefined // whatever it is, it is no key
  }
}
