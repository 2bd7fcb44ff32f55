import { X509Certificate } from 'node:crypto'
import t, { type Test } from 'tap'
import type { CertificateMetrics } from '../../src/ports/certificate-metrics.ts'
import type { ServedCertificate } from '../../src/ports/certificate-source.ts'
import { authoritiesIn, withoutKey } from '../../src/tls/authority.ts'
import { noAuthorities, readAuthoritySet, writeAuthoritySet } from '../../src/tls/authority-set.ts'
import { CertificateKeeper } from '../../src/tls/certificate-keeper.ts'
import { authorityValidity, certificateTimes as times } from '../../src/tls/due.ts'
import { anAuthority } from '../build/authority.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { MemorySecret } from '../fakes/memory-secret.ts'
import { MemoryTrust } from '../fakes/memory-trust.ts'

const day = 86_400_000
const stranger = await anAuthority({ notBeforeMs: 0, notAfterMs: 4e12 })
const installed = { 'zz-rightslice': ['rewrite'], 'rightslice-isolation': ['isolation', 'envfrom'] }

class MemoryCertificateMetrics implements CertificateMetrics {
  readonly ends: Record<string, number> = {}
  readonly inSync: Record<string, boolean> = {}
  faults = 0

  certificateEnds(notAfterMs: number): void {
    this.ends['server'] = notAfterMs
  }

  authorityEnds(notAfterMs: number): void {
    this.ends['authority'] = notAfterMs
  }

  bundleInSync(configuration: string, inSync: boolean): void {
    this.inSync[configuration] = inSync
  }

  certificateFault(): void {
    this.faults += 1
  }
}

/** An installation without processes. */
function aCluster(webhooks: Readonly<Record<string, readonly string[]>> = installed) {
  const secret = new MemorySecret()
  const trust = new MemoryTrust(webhooks)
  const serverClock = new FakeClock()
  secret.serverMs = serverClock.nowMs()
  return { secret, trust }
}

type Cluster = ReturnType<typeof aCluster>

/** A replica that runs until the test ends; every certificate that it ever served is in `served`. */
function startReplica(t: Test, { secret, trust }: Cluster, clock = new FakeClock()) {
  const log = new MemoryLog()
  const metrics = new MemoryCertificateMetrics()
  const keeper = new CertificateKeeper({
    secrets: secret,
    trust,
    names: ['rightslice.rightslice-system.svc'],
    clock,
    random: () => 0.5,
    log,
    metrics
  })
  const served: ServedCertificate[] = []
  keeper.onChange((certificate) => served.push(certificate))
  const end = new AbortController()
  const running = keeper.run(end.signal)
  const stop = async (): Promise<void> => {
    end.abort()
    await running
  }
  t.teardown(stop)
  /** Lets the time pass, look by look. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; ) {
      const restMs = await clock.untilSleep(() => true)
      const stepMs = Math.min(left, restMs)
      if (secret.serverMs !== undefined) secret.serverMs += stepMs
      clock.advance(stepMs)
      left -= stepMs
      await clock.untilSleep(() => true)
    }
  }
  const looked = (): Promise<unknown> => clock.untilSleep(() => true)
  const messages = (): readonly string[] => log.lines.map(({ message }) => message)
  return { keeper, clock, log, metrics, served, pass, looked, stop, messages }
}

function storedIn({ secret }: Cluster) {
  return readAuthoritySet(secret.data() ?? {}).set
}

/** Whether an API server that believes the live bundles would take this certificate. */
function isBelieved({ trust, secret }: Cluster, certificate: ServedCertificate | undefined): boolean {
  if (certificate === undefined) return false
  const leaf = new X509Certificate(certificate.certPem)
  const nowMs = secret.serverMs ?? 0
  const isValid = leaf.validFromDate.getTime() <= nowMs && nowMs < leaf.validToDate.getTime()
  return (
    isValid &&
    trust.bundles().every((bundle) =>
      authoritiesIn(bundle).some(({ certPem }) => {
        const authority = new X509Certificate(certPem)
        return leaf.checkIssued(authority) && leaf.verify(authority.publicKey)
      })
    )
  )
}

t.test(
  'the first start makes everything: Secret, bundles, certificate; ready only when caBundle holds our CA',
  async (t) => {
    const cluster = aCluster()
    const replica = startReplica(t, cluster)
    t.strictSame(replica.keeper.missing(), ['certificate'])

    await replica.looked()

    const { current, next, previous } = storedIn(cluster)
    t.strictSame([current?.keyPem !== undefined, next, previous], [true, undefined, []])
    t.strictSame(cluster.trust.bundles(), [current?.certPem])
    t.ok(isBelieved(cluster, replica.served[0]))
    t.strictSame(replica.keeper.missing(), [])
    t.strictSame(replica.metrics.inSync, {
      'zz-rightslice': true,
      'rightslice-isolation': true,
      'rightslice-advice': false
    })
    t.equal(replica.metrics.ends['server'], replica.clock.nowMs() + times.leafMs)
    t.equal(replica.metrics.ends['authority'], current?.notAfterMs)
    t.notMatch(JSON.stringify(replica.log.lines), /PRIVATE|BEGIN/)
  }
)

t.test('the certificate is there for whoever waits, and for whoever comes later', async (t) => {
  const replica = startReplica(t, aCluster())
  const { signal } = new AbortController()

  const [early] = await Promise.all([replica.keeper.current(signal), replica.looked()])

  t.strictSame(await replica.keeper.current(signal), early)
  await t.rejects(replica.keeper.current(AbortSignal.abort(new Error('given up'))), { message: 'given up' })
})

t.test('who waits can give up', async (t) => {
  const cluster = aCluster()
  cluster.secret.unreachable = true
  const replica = startReplica(t, cluster)
  const waiting = new AbortController()

  const answer = replica.keeper.current(waiting.signal)
  waiting.abort(new Error('given up'))

  await t.rejects(answer, { message: 'given up' })
})

t.test(
  'replicas that start at once agree on one authority, and each has a certificate of its own',
  async (t) => {
    const cluster = aCluster()
    const replicas = [1, 2, 3].map(() => startReplica(t, cluster))

    for (const replica of replicas) await replica.looked()
    for (const replica of replicas) await replica.pass(1000)

    t.equal(cluster.secret.writes, 1)
    t.strictSame(cluster.trust.bundles(), [storedIn(cluster).current?.certPem])
    const certificates = replicas.map(({ served }) => served.at(-1))
    t.ok(certificates.every((one) => isBelieved(cluster, one)))
    t.equal(new Set(certificates.map((one) => one?.certPem)).size, 3)
    for (const { keeper } of replicas) t.strictSame(keeper.missing(), [])
  }
)

t.test('without webhook configurations it is not ready, and says so once', async (t) => {
  const cluster = aCluster({})
  const replica = startReplica(t, cluster)
  await replica.looked()
  await replica.pass(3 * times.lookMs)
  t.strictSame(replica.keeper.missing(), ['caBundle'])
  t.equal(replica.messages().filter((message) => message.endsWith('are missing')).length, 1)

  cluster.trust.create('zz-rightslice', ['rewrite'])
  replica.keeper.wake()
  await replica.pass(1000)

  t.strictSame(replica.keeper.missing(), [])
  t.ok(isBelieved(cluster, replica.served.at(-1)))
})

t.test('a bundle that cannot be written holds up readiness, and not the others', async (t) => {
  const cluster = aCluster()
  cluster.trust.refused.add('zz-rightslice')
  const replica = startReplica(t, cluster)
  await replica.looked()
  t.strictSame(replica.keeper.missing(), ['caBundle'])
  t.match(replica.metrics, { faults: 1, inSync: { 'zz-rightslice': false, 'rightslice-isolation': true } })

  cluster.trust.refused.clear()
  await replica.pass(times.hastyLookMs)

  t.strictSame(replica.keeper.missing(), [])
  t.equal(replica.metrics.inSync['zz-rightslice'], true)
})

for (const [what, bundle] of [
  ['emptied', ''],
  ['spoiled', 'nonsense'],
  ['replaced by a stranger’s', stranger.certPem]
] as const) {
  t.test(`a bundle that was ${what} is put right at once, and it stays ready meanwhile`, async (t) => {
    const cluster = aCluster()
    const replica = startReplica(t, cluster)
    await replica.looked()
    const { current } = storedIn(cluster)

    cluster.trust.put('rightslice-isolation', bundle)
    t.strictSame(replica.keeper.missing(), [])
    replica.keeper.wake()
    await replica.pass(1000)

    t.strictSame(cluster.trust.bundles(), [current?.certPem])
    t.equal(replica.served.length, 1)
  })
}

t.test('an empty bundle is never written', async (t) => {
  const cluster = aCluster()
  const written: string[] = []
  cluster.trust.onWrite = (_name, bundlePem) => written.push(bundlePem)
  const replica = startReplica(t, cluster)
  await replica.looked()

  cluster.secret.put({})
  await replica.pass(times.lookMs)

  t.ok(written.length > 0 && written.every((bundle) => bundle.includes('BEGIN CERTIFICATE')))
})

t.test('a configuration that was deleted and made again believes again', async (t) => {
  const cluster = aCluster()
  const replica = startReplica(t, cluster)
  await replica.looked()

  cluster.trust.remove('rightslice-isolation')
  await replica.pass(times.lookMs)
  t.ok(replica.messages().includes('webhook configurations are missing'))
  t.equal(replica.metrics.inSync['rightslice-isolation'], false)
  cluster.trust.create('rightslice-isolation', ['isolation', 'envfrom'])
  await replica.pass(times.lookMs)

  t.strictSame(cluster.trust.bundles(), [storedIn(cluster).current?.certPem])
})

t.test('a Secret that was deleted comes back as it was, and no certificate changes', async (t) => {
  const cluster = aCluster()
  const replica = startReplica(t, cluster)
  await replica.looked()
  const before = cluster.secret.data()

  cluster.secret.put(undefined)
  await replica.pass(times.lookMs)

  t.strictSame(cluster.secret.data(), before)
  t.equal(replica.served.length, 1)
  t.match(
    replica.log.lines.find(({ fields }) => fields['reason'] === 'restored'),
    { level: 'warn' }
  )
})

t.test('garbage in the Secret is told once and put right from memory', async (t) => {
  const cluster = aCluster()
  const replica = startReplica(t, cluster)
  await replica.looked()
  const before = cluster.secret.data()

  cluster.secret.put({ 'ca.crt': 'garbage', 'ca.key': 'garbage' })
  await replica.pass(2 * times.lookMs)

  t.strictSame(cluster.secret.data(), before)
  t.strictSame(
    replica.log.lines.filter(({ message }) => message === 'secret of authorities is spoiled'),
    [
      {
        level: 'warn',
        fields: { faults: ['ca.crt: no certificate of an authority'] },
        message: 'secret of authorities is spoiled'
      }
    ]
  )
})

t.test('a newcomer that finds garbage keeps believed what is in use', async (t) => {
  const cluster = aCluster()
  const old = startReplica(t, cluster)
  await old.looked()
  await old.stop()
  cluster.secret.put({ 'ca.crt': 'garbage' })

  const newcomer = startReplica(t, cluster)
  await newcomer.looked()

  t.ok(isBelieved(cluster, old.served[0]), 'that of the replica that runs on')
  t.ok(isBelieved(cluster, newcomer.served[0]))
})

for (const [what, spoil] of [
  ['gone', (data: Readonly<Record<string, string>>) => ({ 'ca.crt': data['ca.crt'] ?? '' })],
  ['another’s', (data: Readonly<Record<string, string>>) => ({ ...data, 'ca.key': stranger.keyPem })]
] as const) {
  t.test(`when the key is ${what}, a new authority takes over and no call fails`, async (t) => {
    const cluster = aCluster()
    const replica = startReplica(t, cluster)
    await replica.looked()
    const [first] = replica.served

    cluster.secret.put(spoil(cluster.secret.data() ?? {}))
    await replica.pass(times.lookMs)
    t.equal(
      replica.served.length,
      1,
      'the certificate in use stays until the new authority is known everywhere'
    )
    t.ok(isBelieved(cluster, first))
    await replica.pass(times.publishedMs + 2 * times.hastyLookMs)

    t.equal(replica.served.length, 2)
    t.ok(isBelieved(cluster, replica.served[1]))
    t.ok(isBelieved(cluster, first), 'the old authority is still believed')
  })
}

t.test('an authority that ended while nothing ran is replaced at the start', async (t) => {
  const cluster = aCluster()
  const ended = await anAuthority(authorityValidity((cluster.secret.serverMs ?? 0) - 400 * day, times))
  cluster.secret.put(writeAuthoritySet({ ...noAuthorities, current: ended }))
  cluster.trust.put('zz-rightslice', ended.certPem)

  const replica = startReplica(t, cluster)
  await replica.looked()

  t.ok(isBelieved(cluster, replica.served[0]))
  t.strictSame(replica.keeper.missing(), [])
  t.notOk(cluster.trust.bundles().join().includes(ended.certPem))
})

t.test('over two years every certificate is believed at every look', async (t) => {
  const cluster = aCluster()
  const replica = startReplica(t, cluster)
  await replica.looked()
  const authorities = new Set<string>()

  for (let hours = 0; hours < 2 * 365 * 24; hours += 12) {
    // Between two looks nothing happens, so time is left out, and then some looks are made one after the other.
    if (cluster.secret.serverMs !== undefined) cluster.secret.serverMs += 12 * 3_600_000
    replica.clock.advance(12 * 3_600_000)
    await replica.looked()
    await replica.pass(3 * times.hastyLookMs)
    if (!isBelieved(cluster, replica.served.at(-1))) t.fail(`not believed after ${hours} hours`)
    authorities.add(storedIn(cluster).current?.fingerprint ?? '')
  }

  t.ok(authorities.size >= 3, `${authorities.size} authorities`)
  t.ok(replica.served.length > (2 * 365) / 5)
  t.ok(authoritiesIn(cluster.trust.bundles()[0] ?? '').length <= 3)
  t.equal(replica.metrics.faults, 0)
})

t.test('a rotation makes the new authority known first, and only then signs with it', async (t) => {
  const cluster = aCluster()
  const old = await anAuthority(authorityValidity((cluster.secret.serverMs ?? 0) - 250 * day, times))
  cluster.secret.put(writeAuthoritySet({ ...noAuthorities, current: old }))
  const replica = startReplica(t, cluster)
  await replica.looked()
  const { next } = storedIn(cluster)
  t.strictSame(cluster.trust.bundles(), [old.certPem + (next?.certPem ?? '')])

  await replica.pass(times.publishedMs - times.hastyLookMs)
  t.equal(storedIn(cluster).current?.fingerprint, old.fingerprint, 'still')
  await replica.pass(3 * times.hastyLookMs)

  t.strictSame(storedIn(cluster), { current: next, next: undefined, previous: [withoutKey(old)] })
  t.equal(replica.served.length, 2)
  t.ok(replica.served.every((one) => isBelieved(cluster, one)))
  t.notMatch(cluster.secret.data(), { 'ca.key': old.keyPem })
})

t.test('a configuration that does not hold the new authority holds up the rotation', async (t) => {
  const cluster = aCluster()
  const old = await anAuthority(authorityValidity((cluster.secret.serverMs ?? 0) - 250 * day, times))
  cluster.secret.put(writeAuthoritySet({ ...noAuthorities, current: old }))
  cluster.trust.refused.add('rightslice-isolation')
  const replica = startReplica(t, cluster)
  await replica.looked()

  await replica.pass(2 * times.publishedMs)
  t.equal(storedIn(cluster).current?.fingerprint, old.fingerprint)
  cluster.trust.refused.clear()
  await replica.pass(times.publishedMs + 3 * times.hastyLookMs)

  t.not(storedIn(cluster).current?.fingerprint, old.fingerprint)
})

for (const jumpDays of [-400, -30, -1, 1, 30, 400]) {
  t.test(
    `clock jump by ${jumpDays} days changes nothing, since the clock of the API server counts`,
    async (t) => {
      const cluster = aCluster()
      const replica = startReplica(t, cluster)
      await replica.looked()
      const [before] = replica.served
      const stored = cluster.secret.data()

      replica.clock.advance(jumpDays * day)
      replica.keeper.wake()
      await replica.pass(3 * times.lookMs)

      t.strictSame(cluster.secret.data(), stored)
      t.strictSame(replica.served, [before])
      t.ok(isBelieved(cluster, before))
    }
  )
}

for (const jumpDays of [-400, 400]) {
  t.test(
    `when the API server's own clock jumps by ${jumpDays} days, what it believes is made anew`,
    async (t) => {
      const cluster = aCluster()
      const replica = startReplica(t, cluster)
      await replica.looked()

      cluster.secret.serverMs = (cluster.secret.serverMs ?? 0) + jumpDays * day
      await replica.pass(times.lookMs)

      t.ok(isBelieved(cluster, replica.served.at(-1)))
    }
  )
}

t.test('a clock that jumps in the middle of a look changes nothing either', async (t) => {
  const cluster = aCluster()
  const replica = startReplica(t, cluster)
  await replica.looked()
  const stored = cluster.secret.data()

  for (const jumpDays of [30, -60, 30]) {
    cluster.trust.onRead = () => replica.clock.jump(jumpDays * day)
    await replica.pass(times.lookMs)
    cluster.trust.onRead = undefined
  }

  t.strictSame(cluster.secret.data(), stored)
  t.equal(replica.served.length, 1)
})

t.test('a clock that jumps does not make a rotation hasty', async (t) => {
  const cluster = aCluster()
  const old = await anAuthority(authorityValidity((cluster.secret.serverMs ?? 0) - 250 * day, times))
  cluster.secret.put(writeAuthoritySet({ ...noAuthorities, current: old }))
  const replica = startReplica(t, cluster)
  await replica.looked()

  replica.clock.jump(30 * day)
  await replica.pass(2 * times.hastyLookMs)

  t.equal(cluster.secret.reads, 3)
  t.equal(storedIn(cluster).current?.fingerprint, old.fingerprint)
})

t.test(
  'without an answer of the API server the certificate is renewed from what is remembered',
  async (t) => {
    const cluster = aCluster()
    const replica = startReplica(t, cluster)
    await replica.looked()

    cluster.secret.unreachable = true
    replica.clock.advance(5 * day)
    await replica.pass(times.lookMs)

    t.equal(replica.served.length, 2)
    t.strictSame(replica.keeper.missing(), [], 'it stays ready')
    t.ok(replica.metrics.faults > 0)
    t.ok(replica.messages().includes('certificates not looked after'))
  }
)

t.test('somebody who keeps emptying a bundle does not make it run in circles', async (t) => {
  const cluster = aCluster()
  const replica = startReplica(t, cluster)
  await replica.looked()
  const before = cluster.trust.writes

  for (let time = 0; time < 20; time += 1) {
    cluster.trust.put('zz-rightslice', '')
    replica.keeper.wake()
    await replica.pass(50)
  }

  t.ok(cluster.trust.writes - before <= 11, `${cluster.trust.writes - before} writes in a second`)
})
