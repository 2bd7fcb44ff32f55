import { join } from 'node:path'
import t from 'tap'
import { AppError } from '../../src/core/errors.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { readCertificates, readClientAuthority } from '../../src/tls/read-certificates.ts'

const nowMs = Date.UTC(2026, 0, 10, 12)
const day = 86_400_000
const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs, validDays: 30 }
const made = await makeCertificates(order)
const other = await makeCertificates(order)

t.test('a certificate and its key are read, with the end of validity', async (t) => {
  const dir = t.testdir({ 'tls.crt': made.certPem + made.caPem, 'tls.key': made.keyPem })
  const files = { certFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') }

  const read = await readCertificates(files, nowMs)

  t.strictSame(read, {
    certPem: made.certPem + made.caPem,
    keyPem: made.keyPem,
    notAfterMs: nowMs + 30 * day
  })
})

const cases: readonly {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly atMs?: number
  readonly says: RegExp
}[] = [
  { name: 'a missing file', files: { 'tls.key': made.keyPem }, says: /tls\.crt: cannot be read/ },
  {
    name: 'an empty certificate',
    files: { 'tls.crt': '', 'tls.key': made.keyPem },
    says: /tls\.crt: holds no certificate/
  },
  {
    name: 'an empty key',
    files: { 'tls.crt': made.certPem, 'tls.key': '' },
    says: /tls\.key: holds no private key/
  },
  {
    name: 'a key of another certificate',
    files: { 'tls.crt': made.certPem, 'tls.key': other.keyPem },
    says: /tls\.key: this key does not belong to the certificate in .*tls\.crt/
  },
  {
    name: 'a certificate that has ended',
    files: { 'tls.crt': made.certPem, 'tls.key': made.keyPem },
    atMs: nowMs + 30 * day,
    says: /tls\.crt: expired at 2026-02-09T12:00:00\.000Z/
  },
  {
    name: 'a certificate that has not begun',
    files: { 'tls.crt': made.certPem, 'tls.key': made.keyPem },
    atMs: nowMs - day,
    says: /tls\.crt: not valid before 2026-01-10T11:55:00\.000Z/
  }
]

for (const { name, files, atMs = nowMs, says } of cases) {
  t.test(`${name} is refused by name of the file`, async (t) => {
    const dir = t.testdir(files)

    const reading = readCertificates({ certFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') }, atMs)

    const error: unknown = await reading.catch((fault: unknown) => fault)
    t.ok(error instanceof AppError)
    t.match(error, { code: 'CERTIFICATE_INVALID', message: says })
    t.notMatch(error, { message: /BEGIN|PRIVATE KEY-/ }, 'no key in the message')
  })
}

t.test('authorities of clients are read from a file that holds one at least', async (t) => {
  const dir = t.testdir({ 'ca.crt': made.caPem + other.caPem, 'leaf.crt': made.certPem, 'empty.crt': '' })

  t.equal(await readClientAuthority(join(dir, 'ca.crt')), made.caPem + other.caPem)
  for (const file of ['leaf.crt', 'empty.crt', 'missing.crt'])
    await t.rejects(readClientAuthority(join(dir, file)), { code: 'CERTIFICATE_INVALID' })
})
