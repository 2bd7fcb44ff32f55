import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { authoritiesIn, canSign, eachOnce, isValidAt, readAuthority } from '../../src/tls/authority.ts'
import { issueServerCertificate } from '../../src/tls/issue.ts'
import { anAuthority } from '../build/authority.ts'

const nowMs = Date.UTC(2026, 0, 10, 12)
const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 }
const [one, other] = [await anAuthority(validity), await anAuthority(validity)]
const leaf = await issueServerCertificate({ authority: one, validity, names: ['localhost'] })

t.test('an authority is read with its key and its validity', async (t) => {
  t.strictSame(readAuthority(one.certPem, one.keyPem), one)
  t.match(one, validity)
  t.match(one.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
})

for (const [name, keyPem] of Object.entries({
  'no key': undefined,
  garbage: 'garbage',
  'an empty key': '',
  'the key of another authority': other.keyPem,
  'a key of another kind': generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  }).privateKey
})) {
  t.test(`with ${name} it is believed and cannot sign`, async (t) => {
    const read = readAuthority(one.certPem, keyPem)

    t.equal(read?.fingerprint, one.fingerprint)
    t.equal(read !== undefined && 'keyPem' in read, false)
    t.equal(canSign(read, nowMs), false)
  })
}

t.test('what is no certificate of an authority is none', async (t) => {
  for (const pem of ['', 'garbage', leaf.certPem, one.keyPem]) t.equal(readAuthority(pem), undefined)
})

t.test('a bundle is read certificate by certificate, each once', async (t) => {
  const broken = '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n'
  const bundle = `# ours\n${one.certPem}${broken}${leaf.certPem}${other.certPem}${one.certPem}`

  const found = authoritiesIn(bundle)

  t.strictSame(
    found.map(({ fingerprint }) => fingerprint),
    [one.fingerprint, other.fingerprint]
  )
  t.strictSame(eachOnce([one, ...found])[0], one, 'the first counts')
})

t.test('it signs while it is valid', async (t) => {
  for (const [atMs, can] of [
    [validity.notBeforeMs - 1, false],
    [validity.notBeforeMs, true],
    [validity.notAfterMs - 1, true],
    [validity.notAfterMs, false]
  ] as const) {
    t.equal(isValidAt(one, atMs), can)
    t.equal(canSign(one, atMs), can)
  }
  t.equal(canSign(undefined, nowMs), false)
})
