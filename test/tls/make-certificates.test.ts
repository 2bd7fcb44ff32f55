import { createPrivateKey, X509Certificate } from 'node:crypto'
import t from 'tap'
import { makeCertificates, serverNames } from '../../src/tls/make-certificates.ts'

const nowMs = Date.UTC(2026, 0, 10, 12)
const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs, validDays: 30 }

t.test('the authority signs the server certificate, and the key belongs to it', async (t) => {
  const made = await makeCertificates({ ...order, ipAddresses: ['127.0.0.1'] })

  const authority = new X509Certificate(made.caPem)
  const leaf = new X509Certificate(made.certPem)
  t.equal(authority.ca, true)
  t.equal(authority.verify(authority.publicKey), true)
  t.equal(leaf.ca, false)
  t.equal(leaf.checkIssued(authority), true)
  t.equal(leaf.verify(authority.publicKey), true)
  t.equal(leaf.checkPrivateKey(createPrivateKey(made.keyPem)), true)
  t.equal(leaf.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  t.strictSame(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'for servers only')
})

t.test('SAN: the names are those of the Service, localhost and what is asked for', async (t) => {
  const made = await makeCertificates({ ...order, ipAddresses: ['127.0.0.1'] })

  const leaf = new X509Certificate(made.certPem)
  t.equal(
    leaf.subjectAltName,
    [
      'DNS:rightslice',
      'DNS:rightslice.rightslice-system',
      'DNS:rightslice.rightslice-system.svc',
      'DNS:rightslice.rightslice-system.svc.cluster.local',
      'DNS:localhost',
      'IP Address:127.0.0.1'
    ].join(', ')
  )
  t.strictSame(
    serverNames({ ...order, clusterDomain: 'corp.example' })[3],
    'rightslice.rightslice-system.svc.corp.example'
  )
})

t.test('both begin a little before now and end after the days asked for', async (t) => {
  const made = await makeCertificates(order)

  for (const pem of [made.caPem, made.certPem]) {
    const { validFromDate, validToDate } = new X509Certificate(pem)
    t.equal(validFromDate.toISOString(), '2026-01-10T11:55:00.000Z')
    t.equal(validToDate.toISOString(), '2026-02-09T12:00:00.000Z')
  }
})

t.test('two sets share nothing', async (t) => {
  const [one, other] = await Promise.all([makeCertificates(order), makeCertificates(order)])

  t.not(one.keyPem, other.keyPem)
  t.equal(new X509Certificate(one.certPem).verify(new X509Certificate(other.caPem).publicKey), false)
})
