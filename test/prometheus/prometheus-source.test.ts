import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { UsageReading } from '../../src/ports/usage-source.ts'
import { openPrometheus } from '../../src/prometheus/prometheus-source.ts'
import type { PrometheusOptions } from '../../src/prometheus/source-options.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { NOON_MS, usageSourceContract } from '../contract/usage-source.ts'
import { type FakePrometheus, type FakeSeries, startFakePrometheus } from '../fakes/fake-prometheus.ts'
import { selfSigned } from '../fakes/self-signed.ts'

const DAY_MS = 86_400_000
const TODAY_MS = NOON_MS - DAY_MS / 2

async function start(t: Test, series: readonly FakeSeries[] = []): Promise<FakePrometheus> {
  const fake = await startFakePrometheus()
  t.teardown(() => fake.close())
  fake.series = series
  return fake
}

function open(t: Test, fake: { readonly url: string }, options: Partial<PrometheusOptions> = {}) {
  const source = openPrometheus({ url: fake.url, random: () => 0, ...options })
  t.teardown(() => source.close())
  return source
}

/** One pod's memory, 14 days, four samples a day. */
function history(pod: string, value = 4000, labels: Readonly<Record<string, string>> = {}): FakeSeries {
  const samples = Array.from(
    { length: 54 },
    (_, index) => [TODAY_MS - 13 * DAY_MS + index * 21_600_000, value + index] as const
  )
  return {
    name: 'DCGM_FI_DEV_FB_USED',
    labels: { gpu: '0', UUID: `GPU-${pod}`, namespace: 'ml', pod, container: 'main', ...labels },
    samples
  }
}

const read = (source: ReturnType<typeof openPrometheus>, nowMs = NOON_MS): Promise<UsageReading> =>
  source.read({ nowMs, lookbackDays: 14 })

const kinds = ({ faults }: UsageReading): readonly string[] => faults.map(({ kind }) => kind)
const pods = ({ series }: UsageReading): readonly string[] =>
  series.map(({ labels }) => `${labels.namespace}/${labels.pod}`)

usageSourceContract(t, async (t, series) => open(t, await start(t, series)))

t.test('[labels] the workload is in exported_*, the exporter never gets a history', async (t) => {
  const exporter = { namespace: 'monitoring', pod: 'exporter-q7k2m', container: 'exporter' }
  const exported = (name: string, pod: string) => ({
    ...exporter,
    exported_namespace: name,
    exported_pod: pod,
    exported_container: 'main'
  })
  const fake = await start(t, [
    history('a', 6000, { ...exported('team-a', 'control-0'), UUID: 'GPU-aaaa' }),
    history('b', 6000, { ...exported('team-b', 'runner-1'), UUID: 'GPU-aaaa' }),
    history('c', 3, { ...exporter, UUID: 'GPU-bbbb' })
  ])

  const reading = await read(open(t, fake))

  t.strictSame(pods(reading), ['/', 'team-a/control-0', 'team-b/runner-1'])
  t.equal(reading.series[1]?.days.length, 14)
  t.ok(reading.series[1]?.days.every(({ firstMs, lastMs }) => firstMs !== undefined && lastMs !== undefined))
})

t.test('a day on which nobody had the chosen labels is read by the plain ones', async (t) => {
  const old = { ...history('old-0'), samples: [[TODAY_MS - 3 * DAY_MS + 1000, 5]] as const }
  const young = {
    ...history('exporter-0', 9, { exported_namespace: 'ml', exported_pod: 'new-0', container: 'exporter' }),
    samples: [[NOON_MS - 1000, 9]] as const
  }
  const reading = await read(open(t, await start(t, [old, young])))

  t.strictSame(pods(reading), ['ml/new-0', 'ml/old-0'])
})

t.test('lower-case names and a pipeline that adds podname', async (t) => {
  const samples = [[NOON_MS - 1000, 4100]] as const
  const fake = await start(t, [
    {
      name: 'dcgm_fi_dev_fb_used',
      labels: { gpu_i_id: '12', gpu_i_profile: '1g.10gb', podname: 'gpu-manager-r8d2k', uuid: 'gpu-aaaa' },
      samples
    },
    {
      name: 'dcgm_fi_dev_fb_used',
      labels: {
        container: 'svc',
        namespace: 'team-a',
        pod: 'svc-5f6d7c8b9-t4w6z',
        podname: 'gpu-manager-h5n3p',
        modelname: 'nvidia a100-sxm4-80gb',
        uuid: 'gpu-bbbb'
      },
      samples: [[NOON_MS - 1000, 5200]]
    }
  ])

  const { series, metricNames } = await read(open(t, fake))

  t.match(
    series.map(({ labels }) => labels),
    [
      { pod: '', gpuInstanceId: '12', gpuUuid: 'GPU-aaaa' },
      { pod: 'svc-5f6d7c8b9-t4w6z', model: 'NVIDIA-A100-SXM4-80GB', gpuUuid: 'GPU-bbbb' }
    ]
  )
  t.strictSame(metricNames, ['dcgm_fi_dev_fb_used'])
})

t.test('a metric of the user in bytes; without its unit every value is impossible', async (t) => {
  const labels = { namespace: 'team-a', pod: 'ocr-0', container: 'ocr', accelerator_id: 'GPU-aaaa' }
  const series = [{ name: 'memory_used', labels, samples: [[NOON_MS - 1000, 7_516_192_768]] as const }]
  const inBytes = open(t, await start(t, series), {
    metrics: [{ name: 'memory_used', metric: 'memory', unit: 'bytes' }]
  })
  const inMiB = open(t, await start(t, series), {
    metrics: [{ name: 'memory_used', metric: 'memory', unit: 'MiB' }]
  })

  t.equal((await read(inBytes)).series[0]?.days[0]?.max, 7168)
  const refused = await read(inMiB)
  t.strictSame(refused.series, [])
  t.strictSame(refused.discarded, { impossible: 1 })
})

t.test('a ratio of memory is read only where there is no memory in MiB', async (t) => {
  const ratio = {
    ...history('a', 0),
    name: 'DCGM_FI_DEV_FB_USED_PERCENT',
    samples: [[NOON_MS - 1000, 0.4]] as const
  }

  t.strictSame((await read(open(t, await start(t, [ratio])))).metricNames, ['DCGM_FI_DEV_FB_USED_PERCENT'])
  t.strictSame((await read(open(t, await start(t, [ratio, history('b')])))).metricNames, [
    'DCGM_FI_DEV_FB_USED'
  ])
})

t.test('settled days are asked once; today is asked again', async (t) => {
  const fake = await start(t, [history('a')])
  const source = open(t, fake)
  const first = await read(source)
  fake.seen.length = 0
  fake.series = [{ ...history('a'), samples: [...history('a').samples, [NOON_MS + 5000, 9999]] }]

  const second = await read(source, NOON_MS + 60_000)

  t.equal(first.series[0]?.days.length, 14)
  t.equal(second.series[0]?.days.at(-1)?.max, 9999)
  t.equal(second.series[0]?.days.length, 14)
  const times = fake.seen.flatMap(({ form }) =>
    form.get('query')?.includes('_over_time') ? [form.get('time')] : []
  )
  t.ok(times.length > 0 && times.every((time) => Number(time) * 1000 > TODAY_MS))
  t.ok(second.cost.queries < first.cost.queries / 3)
})

t.test('a day stays open for an hour after its end, then it is settled', async (t) => {
  const fake = await start(t, [history('a')])
  const source = open(t, fake)
  const midnight = TODAY_MS + DAY_MS
  await read(source, midnight + 60_000)
  const asked = async (nowMs: number): Promise<number> => {
    fake.seen.length = 0
    await read(source, nowMs)
    return fake.seen.filter(({ form }) => form.get('query')?.startsWith('max by') === true).length
  }

  t.equal(await asked(midnight + 120_000), 8)
  t.equal(await asked(midnight + 3_600_000), 8)
  t.equal(await asked(midnight + 3_700_000), 4)
})

t.test('an outage keeps what was known, says so, and ends by itself', async (t) => {
  const fake = await start(t, [history('a')])
  const source = open(t, fake)
  await read(source)
  fake.misbehave = (_, response) => {
    response.destroy()
    return 'handled'
  }

  const during = await read(source, NOON_MS + 60_000)
  fake.misbehave = undefined
  const after = await read(source, NOON_MS + 120_000)

  t.equal(during.status, 'failed')
  t.strictSame(kinds(during), ['unreachable'])
  t.equal(during.series[0]?.days.length, 14)
  t.strictSame(
    during.days.map(({ state }) => state),
    [...Array.from({ length: 13 }, () => 'complete'), 'partial']
  )
  t.equal(after.status, 'complete')
})

const answers = [
  {
    name: 'warnings',
    body: { status: 'success', warnings: ['a store is gone'], data: { resultType: 'vector', result: [] } }
  },
  {
    name: 'isPartial',
    body: { status: 'success', isPartial: true, data: { resultType: 'vector', result: [] } }
  }
]
t.test('an index that is partial settles nothing: namespaces may be missing from it', async (t) => {
  const fake = await start(t, [history('a'), history('b', 1, { namespace: 'late' })])
  fake.misbehave = (seen, response) => {
    if (seen.path !== '/api/v1/label/namespace/values') return undefined
    response.end(JSON.stringify({ status: 'success', warnings: ['a store is gone'], data: ['ml'] }))
    return 'handled'
  }
  const source = open(t, fake)

  const partial = await read(source)
  fake.misbehave = undefined
  const whole = await read(source)

  t.strictSame(pods(partial), ['ml/a'])
  t.equal(partial.status, 'partial')
  t.ok(partial.days.every(({ state }) => state === 'partial'))
  t.strictSame(pods(whole), ['late/b', 'ml/a'])
  t.equal(whole.series[0]?.days.length, 14)
  t.equal(whole.status, 'complete')
})

t.test('a metric whose labels cannot be read leaves the days partial, and is read later', async (t) => {
  const busy = {
    ...history('a', 0),
    name: 'DCGM_FI_PROF_SM_ACTIVE',
    samples: [[NOON_MS - 1000, 0.5]] as const
  }
  const fake = await start(t, [history('a'), busy])
  fake.misbehave = (seen, response) => {
    if (seen.path !== '/api/v1/labels' || !seen.form.get('match[]')?.includes('SM_ACTIVE')) return undefined
    response.writeHead(404).end('no')
    return 'handled'
  }
  const source = open(t, fake)

  const partial = await read(source)
  fake.misbehave = undefined
  const whole = await read(source)

  t.ok(partial.days.every(({ state }) => state === 'partial'))
  t.strictSame(kinds(partial), ['refused'])
  t.strictSame(
    whole.series.map(({ metric }) => metric),
    ['memory', 'sm-active']
  )
  t.equal(whole.status, 'complete')
})

for (const { name, body } of answers) {
  await t.test(`an answer that is partial (${name}) leaves the day open and is named`, async (t) => {
    const fake = await start(t, [history('a')])
    fake.misbehave = (seen, response) => {
      if (seen.path !== '/api/v1/query' || !seen.form.get('time')?.startsWith('1794')) return undefined
      response.end(JSON.stringify(body))
      return 'handled'
    }
    const source = open(t, fake)

    const partial = await read(source)
    fake.misbehave = undefined
    const whole = await read(source)

    t.equal(partial.status, 'partial')
    t.ok(kinds(partial).includes('partial-answer'))
    t.equal(whole.status, 'complete')
    t.equal(whole.series[0]?.days.length, 14)
  })
}

const bodies: readonly {
  readonly name: string
  readonly body: unknown
  readonly want: string
  readonly partial?: boolean
}[] = [
  { name: 'HTML', body: '<html>', want: 'bad-answer' },
  { name: 'a list', body: [], want: 'bad-answer' },
  {
    name: 'data of another type',
    body: { status: 'success', data: { resultType: 'scalar', result: [0, '1'] } },
    want: 'bad-answer'
  },
  { name: 'data that is missing', body: { status: 'success' }, want: 'bad-answer' },
  {
    name: 'a refusal',
    body: { status: 'error', errorType: 'bad_data', error: 'no\u001b[31m' },
    want: 'refused'
  },
  {
    name: 'a result of numbers',
    body: {
      status: 'success',
      data: { resultType: 'vector', result: [1, null, { metric: { a: 1 }, value: [1, '2'] }] }
    },
    want: 'bad-answer',
    partial: true
  }
]
for (const { name, body, want, partial = false } of bodies) {
  await t.test(`wrong types: ${name}`, async (t) => {
    const fake = await start(t, [history('a')])
    fake.misbehave = (seen, response) => {
      if (seen.path !== '/api/v1/query') return undefined
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
      return 'handled'
    }

    const reading = await read(open(t, fake))

    t.equal(reading.status, partial ? 'partial' : 'failed')
    t.ok(reading.days.every(({ state }) => state === 'partial'))
    t.strictSame(reading.series, [])
    t.strictSame(kinds(reading), [want])
    t.notMatch(JSON.stringify(reading.faults), /\\u001b/)
    if (partial) t.match(reading.discarded, { malformed: Number })
  })
}

const statuses: readonly (readonly [status: number, want: string, attempts: number])[] = [
  [401, 'unauthorised', 1],
  [403, 'unauthorised', 1],
  [404, 'refused', 1],
  [429, 'throttled', 3],
  [500, 'server-error', 3],
  [302, 'redirected', 1]
]
for (const [status, want, attempts] of statuses) {
  await t.test(`status ${status} is ${want}, asked ${attempts} times`, async (t) => {
    const other = await start(t)
    const fake = await start(t)
    fake.misbehave = (_, response) => {
      response.writeHead(status, { location: `${other.url}/api/v1/query` }).end('no')
      return 'handled'
    }

    const reading = await read(open(t, fake))

    t.equal(reading.status, 'failed')
    t.strictSame(kinds(reading), [want])
    t.equal(fake.seen.length, attempts)
    t.equal(other.seen.length, 0)
  })
}

t.test('a server that never answers costs one time limit', async (t) => {
  const fake = await start(t)
  fake.misbehave = () => 'handled'
  const startedMs = performance.now()

  const reading = await read(open(t, fake, { limits: { requestTimeoutMs: 100 } }))

  t.strictSame(kinds(reading), ['timeout'])
  t.equal(reading.status, 'failed')
  t.ok(performance.now() - startedMs < 2000)
})

t.test('a server that is slow with every answer is left when the time of a reading is used up', async (t) => {
  const fake = await start(t, [history('a')])
  fake.misbehave = async () => {
    await new Promise((resolve) => setTimeout(resolve, 40))
    return undefined
  }

  const reading = await read(open(t, fake, { limits: { readingTimeoutMs: 400 } }))

  t.ok(reading.cost.elapsedMs < 2000)
  t.ok(kinds(reading).some((kind) => kind === 'budget' || kind === 'timeout'))
  t.not(reading.status, 'complete')
})

t.test('100,000 series in every answer: bounded in bytes, and no value is used', async (t) => {
  const row = (index: number) => ({
    metric: { namespace: 'ml', pod: `p-${index}`, UUID: `GPU-${index}` },
    value: [0, '1']
  })
  const result = Array.from({ length: 100_000 }, (_, index) => row(index))
  const huge = JSON.stringify({ status: 'success', data: { resultType: 'vector', result } })
  const fake = await start(t, [history('a')])
  fake.misbehave = (seen, response) => {
    if (seen.path !== '/api/v1/query') return undefined
    response.end(huge)
    return 'handled'
  }
  const limits = { answerBytes: 1_000_000, readingBytes: 20_000_000 }

  const reading = await read(open(t, fake, { limits }))

  t.equal(reading.status, 'failed')
  t.strictSame(reading.series, [])
  t.ok(kinds(reading).includes('budget'))
  t.ok(reading.cost.bytes < 24_000_000)
})

t.test(
  'more series than are kept: the rest is counted and missed, by namespace, and not asked again',
  async (t) => {
    const many = Array.from({ length: 30 }, (_, index) => history(`p-${index}`))
    const fake = await start(t, [history('first', 1, { namespace: 'a' }), ...many])
    const source = open(t, fake, { limits: { series: 20, namespacesPerPage: 1 } })
    const reading = await read(source)
    const asked = fake.seen.length
    const again = await read(source, NOON_MS + 60_000)

    t.equal(reading.series.length, 20)
    t.equal(reading.status, 'partial')
    t.ok((reading.discarded['series-limit'] ?? 0) >= 10)
    for (const one of [reading, again]) {
      t.match(one, { missingNamespaces: ['ml'], missingNodes: [], faults: [{ kind: 'series-limit' }] })
    }
    t.ok(fake.seen.length - asked < asked / 2, 'days that are over are settled')
  }
)

t.test('an answer that is too large is asked for in parts, and nothing is lost', async (t) => {
  const series = Array.from({ length: 64 }, (_, index) =>
    history(`p-${index}`, 100, {
      namespace: `team-${index % 4}`,
      UUID: `GPU-${index.toString(16).padStart(4, '0')}`
    })
  )
  const oneNamespace = series.map((one) => ({ ...one, labels: { ...one.labels, namespace: 'ml' } }))
  for (const all of [series, oneNamespace]) {
    const reading = await read(open(t, await start(t, all), { limits: { answerBytes: 2500 } }))

    t.equal(reading.series.length, 64)
    t.equal(reading.status, 'complete')
  }
})

t.test('a server that refuses for the number of samples is asked for less', async (t) => {
  const series = [history('a', 1, { namespace: 'one' }), history('b', 1, { namespace: 'two' })]
  const fake = await start(t, series)
  fake.misbehave = (seen, response) => {
    if (!seen.form.get('query')?.includes('one|two')) return undefined
    response.statusCode = 422
    const error = 'query processing would load too many samples into memory in query execution'
    response.end(JSON.stringify({ status: 'error', errorType: 'execution', error }))
    return 'handled'
  }

  const reading = await read(open(t, fake))

  t.equal(reading.status, 'complete')
  t.strictSame(pods(reading), ['one/a', 'two/b'])
})

t.test('no known metric is said, not taken for zero use', async (t) => {
  const reading = await read(open(t, await start(t, [{ ...history('a'), name: 'up' }])))

  t.equal(reading.status, 'failed')
  t.strictSame(kinds(reading), ['no-metric'])
})

t.test('proves who we are by files that are read again', async (t) => {
  const fake = await start(t)
  const folder = t.testdir({ token: 'one\n', tenant: 'ml-team\n', password: 'secret' })
  const source = open(t, fake, {
    access: { bearerTokenFile: join(folder, 'token'), tenantFile: join(folder, 'tenant') }
  })
  await read(source)
  writeFileSync(join(folder, 'token'), 'two\n')
  await read(source)
  await read(open(t, fake, { access: { username: 'me', passwordFile: join(folder, 'password') } }))

  t.match(
    fake.seen.map(({ headers }) => [headers.authorization, headers['x-scope-orgid']]),
    [
      ['Bearer one', 'ml-team'],
      ['Bearer two', 'ml-team'],
      [`Basic ${Buffer.from('me:secret').toString('base64')}`, undefined]
    ]
  )
})

for (const content of ['', 'a\nb', 'a\u0000']) {
  await t.test(
    `a token that no header can carry (${JSON.stringify(content)}) is named by its file`,
    async (t) => {
      const fake = await start(t)
      const folder = t.testdir({ token: content })

      const reading = await read(open(t, fake, { access: { bearerTokenFile: join(folder, 'token') } }))

      t.match(reading.faults, [{ kind: 'credentials', message: /token: empty, or not one line/ }])
      t.equal(fake.seen.length, 0)
    }
  )
}

t.test('a certificate is checked against the CA of a file, which is read again', async (t) => {
  const pair = selfSigned('metrics')
  const other = selfSigned('stranger')
  const fake = await startFakePrometheus(pair)
  t.teardown(() => fake.close())
  const folder = t.testdir({ 'ca.pem': other.cert })
  const source = open(t, fake, { access: { caFile: join(folder, 'ca.pem') } })

  const refused = await read(source)
  writeFileSync(join(folder, 'ca.pem'), pair.cert)
  const trusted = await read(source)

  t.strictSame(kinds(refused), ['tls'])
  t.equal(fake.seen.length > 0, true)
  t.strictSame(kinds(trusted), ['no-metric'])
})

t.test('an expired certificate is said to be that', async (t) => {
  const order = { service: 'metrics', namespace: 'monitoring', ipAddresses: ['127.0.0.1'], validDays: 1 }
  const expired = await makeCertificates({ ...order, nowMs: Date.now() - 10 * DAY_MS })
  const fake = await startFakePrometheus({ cert: expired.certPem, key: expired.keyPem })
  t.teardown(() => fake.close())
  const folder = t.testdir({ 'ca.pem': expired.caPem })

  const reading = await read(open(t, fake, { access: { caFile: join(folder, 'ca.pem') } }))

  t.match(reading.faults, [{ kind: 'tls', message: /expired/ }])
  t.equal(fake.seen.length, 0)
})

t.test('settings that cannot be meant are refused', (t) => {
  const bad: readonly PrometheusOptions[] = [
    { url: 'prometheus:9090' },
    { url: 'http://me:secret@prometheus' },
    { url: 'http://prometheus/?a=b' },
    { url: 'http://p', metrics: [{ name: 'a}or{', metric: 'memory', unit: 'MiB' }] },
    { url: 'http://p', ownerLabels: { name: 'own', namespace: 'a b', pod: 'pod', container: 'c' } }
  ]
  for (const options of bad) t.throws(() => openPrometheus(options), { code: 'CONFIG_INVALID' })
  t.end()
})

t.test('a reading that is given up ends at once', async (t) => {
  const fake = await start(t)
  fake.misbehave = () => 'handled'
  const source = openPrometheus({ url: fake.url })
  const reading = read(source)
  while (fake.seen.length === 0) await new Promise((resolve) => setImmediate(resolve))

  await source.close()

  t.strictSame(kinds(await reading), ['aborted'])
})

/** A series with a value of 5000 and, a minute later, one that no GPU can have. */
function leaking(pod: string, atMs: number): FakeSeries {
  return { ...history(pod), samples: [[atMs - 120_000, 5000] as const, [atMs - 60_000, Infinity] as const] }
}

const leakingPods = (name: string, count: number, atMs: number): readonly FakeSeries[] =>
  Array.from({ length: count }, (_, index) => leaking(`${name}-${index}`, atMs))

t.test(
  'impossible maxima in more series than are read one by one: no value, and the day is partial',
  async (t) => {
    const source = open(t, await start(t, leakingPods('p', 410, NOON_MS)))

    const first = await read(source)

    t.equal(first.status, 'partial')
    t.strictSame(kinds(first), ['budget'])
    t.strictSame(first.discarded, { infinite: 410 })
  }
)

t.test(
  'what was read sample by sample is remembered, so that one reading after the other gets further',
  async (t) => {
    const fake = await start(t, leakingPods('p', 210, NOON_MS))
    const source = open(t, fake)
    const raw = (): number => fake.seen.filter(({ form }) => form.get('query')?.startsWith('DCGM')).length

    await read(source)
    const second = await read(source)
    const known = raw()
    await read(source, NOON_MS + 1_800_000)
    const afterHalfAnHour = raw()
    await read(source, NOON_MS + 3_600_000)

    t.equal(second.status, 'complete')
    t.equal(second.series.length, 210)
    t.equal(known, 210, 'each once')
    t.equal(afterHalfAnHour, known)
    t.ok(raw() > known, 'a day that is not over is read again')
  }
)

t.test('series of today leave room for those of older days', async (t) => {
  const old = leakingPods('old', 3, NOON_MS - 5 * DAY_MS)
  const reading = await read(open(t, await start(t, [...leakingPods('p', 410, NOON_MS), ...old])))

  t.match(reading.days[8], { state: 'complete' })
  t.strictSame(
    pods(reading).filter((pod) => pod.startsWith('ml/old')),
    ['ml/old-0', 'ml/old-1', 'ml/old-2']
  )
})

const troubled: readonly (readonly [name: string, part: string, want: string, count: number])[] = [
  ['samples of a series with an impossible maximum', '[', 'a-0', 1],
  ['times of pods that share', 'timestamp', 'b-0', 2]
]
for (const [name, part, want, count] of troubled) {
  await t.test(`no answer for the ${name}: the day is partial and is asked again`, async (t) => {
    const blank = {
      ...history('a-0'),
      samples: [[NOON_MS - 60_000, 2 ** 47] as const, [NOON_MS - 1000, 1] as const]
    }
    const shared = ['b-0', 'c-0'].map((pod) => history(pod, 5, { UUID: 'GPU-shared' }))
    const fake = await start(t, [blank, ...shared])
    fake.misbehave = ({ form }, response) => {
      const query = form.get('query') ?? ''
      const isRaw = part === '[' && query.startsWith('DCGM')
      const isSpan = part !== '[' && query.includes('_over_time(timestamp')
      if (!isRaw && !isSpan) return undefined
      response.statusCode = 422
      response.end(JSON.stringify({ status: 'error', errorType: 'execution', error: 'too many samples' }))
      return 'handled'
    }
    const source = open(t, fake)

    const troubledReading = await read(source)
    fake.misbehave = undefined
    const whole = await read(source)

    t.equal(troubledReading.status, 'partial')
    t.strictSame(kinds(troubledReading), ['too-large'])
    t.ok((troubledReading.faults[0]?.count ?? 0) >= count)
    t.equal(whole.status, 'complete')
    t.ok(whole.series.some(({ labels }) => labels.pod === want))
  })
}
