import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AppError } from '../core/errors.ts'
import { authoritiesIn } from './authority.ts'

/** Where a server certificate and its key lie. */
export interface CertificateFiles {
  /** PEM file: the server's certificate, then perhaps those between it and its authority. */
  readonly certFile: string
  /** PEM file. */
  readonly keyFile: string
}

/** A server certificate that was checked, ready to be served. */
export interface ServerCertificate {
  readonly certPem: string
  readonly keyPem: string
  /** End of the certificate, ms since the epoch. */
  readonly notAfterMs: number
}

/**
 * Reads a server certificate and its key, and checks that they belong together and are valid now.
 * @throws AppError CERTIFICATE_INVALID naming the file and what is wrong with it
 */
export async function readCertificates(files: CertificateFiles, nowMs: number): Promise<ServerCertificate> {
  const [certPem, keyPem] = await Promise.all([readPem(files.certFile), readPem(files.keyFile)])
  const certificate = parse(files.certFile, 'certificate', () => new X509Certificate(certPem))
  const key: KeyObject = parse(files.keyFile, 'private key', () => createPrivateKey(keyPem))
  if (!certificate.checkPrivateKey(key)) {
    throw invalid(`${files.keyFile}: this key does not belong to the certificate in ${files.certFile}`)
  }
  checkValidity(files.certFile, certificate, nowMs)
  return { certPem, keyPem, notAfterMs: certificate.validToDate.getTime() }
}

/**
 * Reads the certificates that vouch for clients.
 * @throws AppError CERTIFICATE_INVALID naming the file
 */
export async function readClientAuthority(file: string): Promise<string> {
  const pem = await readPem(file)
  if (authoritiesIn(pem).length === 0)
    throw invalid(`${file}: holds no certificate of an authority in PEM form`)
  return pem
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw invalid(`${file}: cannot be read: ${messageOf(cause)}`, cause)
  }
}

function parse<T>(file: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw invalid(`${file}: holds no ${what} in PEM form`, cause)
  }
}

function checkValidity(file: string, certificate: X509Certificate, nowMs: number): void {
  const { validFromDate, validToDate } = certificate
  const now = new Date(nowMs).toISOString()
  if (validFromDate.getTime() > nowMs) {
    throw invalid(`${file}: not valid before ${validFromDate.toISOString()} (now ${now})`)
  }
  if (validToDate.getTime() <= nowMs) {
    throw invalid(`${file}: expired at ${validToDate.toISOString()} (now ${now})`)
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('CERTIFICATE_INVALID', message, { cause })
}
