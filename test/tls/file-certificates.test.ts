import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ServedCertificate } from '../../src/ports/certificate-source.ts'
import { FileCertificates } from '../../src/tls/file-certificates.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

const LOOK_MS = 10_000
const clock = new FakeClock()
const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs: clock.nowMs(), validDays: 30 }
const [one, other] = [await makeCertificates(order), await makeCertificates(order)]

/** Writes a pair as kubelet does it with a mounted Secret: a new folder, and a link that is swapped in one step. */
async function mount(dir: string, version: string, { certPem, keyPem }: ServedCertificate): Promise<void> {
  await mkdir(join(dir, version))
  await writeFile(join(dir, version, 'tls.crt'), certPem)
  await writeFile(join(dir, version, 'tls.key'), keyPem)
  await symlink(version, join(dir, 'fresh'))
  await rename(join(dir, 'fresh'), join(dir, '..data'))
}

async function open(t: Test) {
  const dir = t.testdir({})
  await mount(dir, 'v1', one)
  for (const file of ['tls.crt', 'tls.key']) await symlink(join('..data', file), join(dir, file))
  const ownClock = new FakeClock()
  const log = new MemoryLog()
  const seen = { ends: [] as number[], faults: 0 }
  const source = await FileCertificates.open({
    files: { certFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') },
    clock: ownClock,
    log,
    metrics: {
      certificateEnds: (ms) => seen.ends.push(ms),
      authorityEnds: () => undefined,
      bundleInSync: () => undefined,
      certificateFault: () => {
        seen.faults += 1
      }
    }
  })
  const served: ServedCertificate[] = []
  source.onChange((certificate) => served.push(certificate))
  const end = new AbortController()
  const running = source.run(end.signal)
  t.teardown(async () => {
    end.abort()
    await running
  })
  const look = async (): Promise<void> => {
    await ownClock.untilSleep((ms) => ms === LOOK_MS)
    ownClock.advance(LOOK_MS)
    await ownClock.untilSleep((ms) => ms === LOOK_MS)
  }
  return { dir, source, served, look, log, seen }
}

const pair = ({ certPem, keyPem }: ServedCertificate) => ({ certPem, keyPem })

t.test('the certificate of the files is served from the start, and nothing is missing', async (t) => {
  const { source, seen } = await open(t)

  t.strictSame(await source.current(new AbortController().signal), pair(one))
  t.strictSame(source.missing(), [])
  t.strictSame(seen.ends, [order.nowMs + 30 * 86_400_000])
})

t.test('a swap of the mounted Secret is taken up', async (t) => {
  const { dir, source, served, look } = await open(t)
  await look()
  t.strictSame(served, [], 'nothing has changed')

  await mount(dir, 'v2', other)
  await look()

  t.strictSame(served, [pair(other)])
  t.strictSame(await source.current(new AbortController().signal), pair(other))
})

for (const [what, wrong] of Object.entries({
  'half of a pair': { certPem: other.certPem, keyPem: one.keyPem },
  'empty files': { certPem: '', keyPem: '' }
})) {
  t.test(`${what} changes nothing, is told once and counted each time`, async (t) => {
    const { dir, served, look, log, seen } = await open(t)

    await mount(dir, 'v2', wrong)
    await look()
    await look()
    t.strictSame(served, [])
    t.equal(seen.faults, 2)
    t.equal(log.lines.filter(({ level }) => level === 'warn').length, 1)

    await mount(dir, 'v3', other)
    await look()
    t.strictSame(served, [pair(other)])
  })
}

t.test('files that cannot be used at the start end it', async (t) => {
  const dir = t.testdir({ 'tls.crt': one.certPem, 'tls.key': other.keyPem })
  const files = { certFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') }
  const nothing = (): void => undefined
  const metrics = {
    certificateEnds: nothing,
    authorityEnds: nothing,
    bundleInSync: nothing,
    certificateFault: nothing
  }

  await t.rejects(FileCertificates.open({ files, clock, log: new MemoryLog(), metrics }), {
    code: 'CERTIFICATE_INVALID'
  })
})
