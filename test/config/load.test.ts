import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { AppError } from '../../src/core/errors.ts'

async function faultOf(loading: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await loading.catch((fault: unknown) => fault)
  if (!(error instanceof AppError) || error.code !== 'CONFIG_INVALID')
    throw new Error(`no fault: ${String(error)}`)
  return error.message.replace('configuration: ', '').split('\n  ')
}

t.test('without any source the defaults hold, and the own namespace is protected', async (t) => {
  const config = await loadConfig({ env: {} })

  t.equal(config.listenPort, 8443)
  t.equal(config.kubeconfig, undefined)
  t.strictSame(config.systemNamespaces.slice(-2), ['gke-managed-*', 'rightslice-system'])
})

t.test('the result cannot be changed', async (t) => {
  const config = await loadConfig({ env: {} })

  t.ok(Object.isFrozen(config))
  t.ok(Object.isFrozen(config.systemNamespaces))
  t.ok(Object.isFrozen(config.schedulers))
})

t.test('command line wins over environment, environment over file', async (t) => {
  const file = join(
    t.testdir({ 'c.yaml': 'listenPort: 1001\nhealthPort: 1002\ndrainSeconds: 3\nschedulers: [a, b]\n' }),
    'c.yaml'
  )

  const config = await loadConfig({
    env: {
      RIGHTSLICE_CONFIG: file,
      RIGHTSLICE_LISTEN_PORT: '2001',
      RIGHTSLICE_HEALTH_PORT: '2002',
      HOME: '/x'
    },
    flags: { listenPort: '3001', logLevel: undefined }
  })

  t.match(config, { listenPort: 3001, healthPort: 2002, drainSeconds: 3, schedulers: ['a', 'b'] })
})

t.test('the standard variable of traces sets their endpoint, unless ours does or it is empty', async (t) => {
  const standard = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' }
  const file = join(t.testdir({ 'c.yaml': 'otlpEndpoint: http://c:4318\n' }), 'c.yaml')
  const read = async (env: Record<string, string>, path?: string) =>
    (await loadConfig({ env, file: path })).otlpEndpoint

  t.equal(await read(standard), 'http://a:4318')
  t.equal(await read(standard, file), 'http://a:4318')
  t.equal(await read({ ...standard, RIGHTSLICE_OTLP_ENDPOINT: 'http://b:4318' }), 'http://b:4318')
  t.equal(await read({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, file), 'http://c:4318')
  t.equal(await read({}), undefined)
  t.match(await faultOf(loadConfig({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' } })), [
    /otlpEndpoint: .*from OTEL_EXPORTER_OTLP_ENDPOINT/
  ])
})

t.test('a list in a variable is split at commas', async (t) => {
  const config = await loadConfig({
    env: { RIGHTSLICE_SYSTEM_NAMESPACES: 'kube-system, infra-* ,', RIGHTSLICE_OWN_NAMESPACE: 'gpu' }
  })

  t.strictSame(config.systemNamespaces, ['kube-system', 'infra-*', 'gpu'])
})

t.test('an empty file says nothing', async (t) => {
  const file = join(t.testdir({ 'c.yaml': '# later\n' }), 'c.yaml')

  t.equal((await loadConfig({ env: {}, file })).listenPort, 8443)
})

t.test('variables that a cluster sets for a Service are no settings', async (t) => {
  const env = {
    RIGHTSLICE_SERVICE_HOST: '10.0.0.1',
    RIGHTSLICE_SERVICE_PORT_HTTPS: '443',
    RIGHTSLICE_PORT: 'tcp://10.0.0.1:443',
    RIGHTSLICE_PORT_443_TCP_ADDR: '10.0.0.1'
  }

  await t.resolves(loadConfig({ env }))
})

t.test('every fault is told at once, with key, value and origin', async (t) => {
  const file = join(
    t.testdir({ 'c.yaml': 'listenPrt: 1\nsystemNamespaces: [ok, Not_OK]\ndrainSeconds: -1\n' }),
    'c.yaml'
  )

  const faults = await faultOf(
    loadConfig({
      env: {
        RIGHTSLICE_LISTEN_PORT: '70000',
        RIGHTSLICE_HEALTH_PORT: '',
        RIGHTSLICE_LOG_LEVEL: 'loud',
        RIGHTSLICE_TSL_KEY_FILE: '/k'
      },
      file
    })
  )

  const wanted = [
    /^listenPort: .*65535.* \(is "70000", from RIGHTSLICE_LISTEN_PORT\)$/,
    /^healthPort: .*number.* \(is "", from RIGHTSLICE_HEALTH_PORT\)$/,
    /^systemNamespaces\.1: must be the name of a namespace.* \(is "Not_OK", from .*c\.yaml\)$/,
    /^logLevel: .* \(is "loud", from RIGHTSLICE_LOG_LEVEL\)$/,
    /^drainSeconds: .* \(is -1, from .*c\.yaml\)$/,
    /^listenPrt: no such setting \(from .*c\.yaml\)$/,
    /^RIGHTSLICE_TSL_KEY_FILE: no such setting$/
  ]
  t.equal(faults.length, wanted.length)
  for (const line of wanted)
    t.ok(
      faults.some((fault) => line.test(fault)),
      `${line.source} in ${faults.join(' | ')}`
    )
})

t.test('a file that cannot be used is a fault', async (t) => {
  const dir = t.testdir({ 'list.yaml': '- a\n', 'broken.yaml': 'a: [1\n' })

  t.match(await faultOf(loadConfig({ env: {}, file: join(dir, 'none.yaml') })), [
    /none\.yaml: cannot be read/
  ])
  t.match(await faultOf(loadConfig({ env: {}, file: join(dir, 'list.yaml') })), [
    /list\.yaml: must hold settings/
  ])
  t.match(await faultOf(loadConfig({ env: {}, file: join(dir, 'broken.yaml') })), [
    /broken\.yaml: cannot be read/
  ])
})
