import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { connectCluster } from '../../src/kube/connection.ts'
import { startFakeApiServer } from '../fakes/fake-api-server.ts'
import { type CertificatePair, selfSigned } from '../fakes/self-signed.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const get = { method: 'GET', path: '/version' } as const

t.test('trusts the CA of the kubeconfig and no other', async (t) => {
  const [own, foreign] = [selfSigned('server'), selfSigned('foreign')]
  const server = await startFakeApiServer(own)
  t.teardown(() => server.close())
  server.answer(get.path, () => ({ status: 200, body: '{"ok":true}' }))
  const dir = t.testdir({})
  const connect = async (ca: CertificatePair) => {
    const file = join(dir, 'kubeconfig')
    await writeFile(file, server.kubeconfig({}, { 'certificate-authority-data': base64(ca.cert) }))
    const connection = await connectCluster({ kubeconfig: file })
    t.teardown(() => connection.close())
    return connection
  }

  const trusting = await connect(own)
  const doubting = await connect(foreign)

  t.strictSame(await (await trusting.request(get)).json(), { ok: true })
  await t.rejects(doubting.request(get), { code: 'KUBE_UNREACHABLE', message: /self-signed/ })
})

t.test('shows its client certificate, and a renewed one after a 401', async (t) => {
  const [own, first, second] = [selfSigned('server'), selfSigned('first'), selfSigned('second')]
  const server = await startFakeApiServer({ ...own, requestCert: true, ca: [first.cert, second.cert] })
  t.teardown(() => server.close())
  let refuse = false
  server.answer(get.path, () => {
    const status = refuse ? 401 : 200
    refuse = false
    return { status, body: '{}' }
  })
  const dir = t.testdir({ 'client.crt': first.cert, 'client.key': first.key })
  const file = join(dir, 'kubeconfig')
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' }
  await writeFile(file, server.kubeconfig(user, { 'certificate-authority-data': base64(own.cert) }))
  const connection = await connectCluster({ kubeconfig: file })
  t.teardown(() => connection.close())

  await (await connection.request(get)).json()
  await writeFile(join(dir, 'client.crt'), second.cert)
  await writeFile(join(dir, 'client.key'), second.key)
  refuse = true
  await (await connection.request(get)).json()

  t.strictSame(
    server.seen.map(({ clientName }) => clientName),
    ['first', 'first', 'second']
  )
})
