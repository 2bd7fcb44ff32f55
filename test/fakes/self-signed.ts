import { createSign, generateKeyPairSync } from 'node:crypto'

/** A certificate and its key, PEM. */
export interface CertificatePair {
  readonly cert: string
  readonly key: string
}

const SEQUENCE = 0x30
const SET = 0x31
const EXPLICIT_0 = 0xa0
const EXPLICIT_3 = 0xa3
const ecdsaWithSha256 = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'))
const commonName = Buffer.from('0603550403', 'hex')
const subjectAltName = Buffer.from('0603551d11', 'hex')
const version3 = Buffer.from('020102', 'hex')

/** A self-signed certificate for 127.0.0.1, valid from a minute ago for an hour. @source RFC 5280 section 4.1 */
export function selfSigned(name: string): CertificatePair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = der(SEQUENCE, der(SET, der(SEQUENCE, commonName, der(0x0c, Buffer.from(name)))))
  const loopback = der(SEQUENCE, der(0x87, Buffer.from([127, 0, 0, 1])))
  const body = der(
    SEQUENCE,
    der(EXPLICIT_0, version3),
    der(0x02, Buffer.from(`01${Buffer.from(name).toString('hex')}`, 'hex')),
    ecdsaWithSha256,
    subject,
    der(SEQUENCE, utcTime(Date.now() - 60_000), utcTime(Date.now() + 3_600_000)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXPLICIT_3, der(SEQUENCE, der(SEQUENCE, subjectAltName, der(0x04, loopback))))
  )
  const signature = createSign('sha256').update(body).sign(privateKey)
  const whole = der(SEQUENCE, body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  const base64 = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
}

/** One DER element: tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

/** `2026-11-29T14:00:00.000Z` becomes `261129140000Z`. */
function utcTime(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
