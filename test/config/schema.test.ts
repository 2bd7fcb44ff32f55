import t from 'tap'
import { Config, configOptions, variableOf } from '../../src/config/schema.ts'

t.test('every setting has a variable, a unit, a default and a sentence', async (t) => {
  const options = configOptions()

  t.strictSame(
    options.map(({ key }) => key),
    Object.keys(Config.shape)
  )
  for (const { key, variable, unit, sentence } of options) {
    t.equal(variable, variableOf(key))
    t.ok(unit, `${key} has a unit`)
    t.match(sentence, /^[A-Z].*\.$/, `${key} has a sentence`)
  }
})

t.test('the defaults are those of the shipped manifests', async (t) => {
  const defaults = Object.fromEntries(configOptions().map(({ key, default: value }) => [key, value]))

  t.strictSame(defaults, {
    listenHost: '0.0.0.0',
    listenPort: '8443',
    healthPort: '8080',
    certificates: 'files',
    tlsCertFile: '/etc/rightslice/tls/tls.crt',
    tlsKeyFile: '/etc/rightslice/tls/tls.key',
    clientCaFile: '',
    clientNames: '',
    kubeconfig: '',
    ownNamespace: 'rightslice-system',
    systemNamespaces:
      'kube-system,kube-public,kube-node-lease,gpu-operator,nvidia-gpu-operator,gke-managed-*',
    schedulers: 'default-scheduler',
    logLevel: 'info',
    drainSeconds: '15',
    driftCheckSeconds: '1800',
    staleSeconds: '300',
    usageSource: 'auto',
    prometheusUrl: '',
    prometheusTokenFile: '',
    prometheusUsername: '',
    prometheusPasswordFile: '',
    prometheusCaFile: '',
    prometheusCertificateFile: '',
    prometheusKeyFile: '',
    prometheusTenant: '',
    prometheusTenantFile: '',
    prometheusParameters: '',
    prometheusTimeoutSeconds: '30',
    metricNames: '',
    ownerLabels: '',
    usageSeries: '60000',
    refreshSeconds: '300',
    forgetAfterHours: '336',
    sweepSeconds: '600',
    policyReports: 'false',
    otlpEndpoint: '',
    leaseName: 'rightslice-controller'
  })
})

t.test('a variable is the key in capitals', async (t) => {
  t.equal(variableOf('tlsCertFile'), 'RIGHTSLICE_TLS_CERT_FILE')
})

t.test('names of clients need an authority that vouches for them', async (t) => {
  const named = Config.safeParse({ clientNames: 'kube-apiserver, other' })
  const whole = Config.parse({ clientNames: 'kube-apiserver, other', clientCaFile: '/ca.crt' })

  t.match(named.error?.issues, [{ path: ['clientNames'], message: /needs clientCaFile/ }])
  t.strictSame(whole.clientNames, ['kube-apiserver', 'other'])
})

t.test('an address of metrics is one of http', async (t) => {
  for (const prometheusUrl of ['http://prometheus:9090', 'https://mimir.example/prometheus']) {
    t.equal(Config.parse({ prometheusUrl }).prometheusUrl, prometheusUrl)
  }
  for (const prometheusUrl of [
    '',
    'prometheus:9090',
    'file:///etc/passwd',
    'ftp://metrics',
    'http://me:secret@metrics'
  ]) {
    t.equal(Config.safeParse({ prometheusUrl }).success, false, prometheusUrl)
  }
})
