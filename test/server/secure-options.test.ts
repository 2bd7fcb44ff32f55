import { constants } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import type { ServedCertificate } from '../../src/ports/certificate-source.ts'
import { replaceCertificate, secureOptions } from '../../src/server/secure-options.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { selfSigned } from '../fakes/self-signed.ts'

const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs: Date.now(), validDays: 1 }
const [one, other] = [await makeCertificates(order), await makeCertificates(order)]
const client = selfSigned('kube-apiserver')

t.test('the TLS side is whole each time it is asked for', async (t) => {
  const whole = { cert: 'c', key: 'k', minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] }

  t.strictSame(secureOptions({ certPem: 'c', keyPem: 'k' }), whole)
  t.strictSame(secureOptions({ certPem: 'c', keyPem: 'k' }, { caPem: 'ca' }), {
    ...whole,
    ca: 'ca',
    requestCert: true,
    rejectUnauthorized: true,
    secureOptions: constants.SSL_OP_NO_TICKET
  })
})

async function serve(t: Test, clients?: { readonly caPem: string }): Promise<Server> {
  const server = createServer(secureOptions(one, clients), (_request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.on('tlsClientError', () => undefined)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** A connection on which the server has answered, so that its handshake is over on both sides. */
async function call(
  server: Server,
  { caPem, ...options }: ConnectionOptions & { readonly caPem: string }
): Promise<TLSSocket> {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const names = { host: '127.0.0.1', servername: 'rightslice.rightslice-system.svc' }
  const socket = connect({ ...names, port, ca: caPem, ...options })
  await once(socket, 'secureConnect')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [answer] = await Promise.race([
    once(socket, 'data'),
    once(socket, 'close').then(() => Promise.reject(new Error('closed')))
  ])
  t.match(String(answer), 'HTTP/1.1 200')
  return socket
}

t.test('reload: a new certificate is shown to new connections, and open ones live on', async (t) => {
  const server = await serve(t)
  const before = await call(server, { caPem: one.caPem })

  replaceCertificate(server, other)

  await t.rejects(call(server, { caPem: one.caPem }))
  const after = await call(server, { caPem: other.caPem })
  before.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [answer] = await once(before, 'data')
  t.match(String(answer), 'HTTP/1.1 200')
  before.destroy()
  after.destroy()
})

for (const [what, wrong] of Object.entries<ServedCertificate>({
  'mismatch: a key of another certificate': { certPem: one.certPem, keyPem: other.keyPem },
  'empty: no certificate and no key': { certPem: '', keyPem: '' },
  'empty: no key': { certPem: other.certPem, keyPem: '' }
})) {
  t.test(`${what} is refused, and the certificate in use stays`, async (t) => {
    const server = await serve(t)

    t.throws(() => replaceCertificate(server, wrong))

    const socket = await call(server, { caPem: one.caPem })
    t.ok(socket.authorized)
    socket.destroy()
  })
}

t.test(
  'min version kept, mTLS kept, protocol kept: what is asked of clients stays after a replacement',
  async (t) => {
    const server = await serve(t, { caPem: client.cert })
    const shown = { cert: client.cert, key: client.key }

    replaceCertificate(server, other, { caPem: client.cert })

    const socket = await call(server, { caPem: other.caPem, ...shown, ALPNProtocols: ['h2', 'http/1.1'] })
    t.equal(socket.alpnProtocol, 'http/1.1')
    socket.destroy()
    await t.rejects(call(server, { caPem: other.caPem }), 'without a certificate')
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await t.rejects(call(server, { caPem: other.caPem, ...shown, ...old }), 'with an old version')
  }
)
