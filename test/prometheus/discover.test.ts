import t from 'tap'
import { chooseExporters, choosePrometheus, type ServiceView } from '../../src/prometheus/discover.ts'

function service(
  name: string,
  labels: Record<string, string>,
  ...ports: readonly (readonly [string, number])[]
): ServiceView {
  return {
    namespace: 'monitoring',
    name,
    labels,
    ports: ports.map(([port, number]) => ({ name: port, port: number }))
  }
}

const operated = service('prometheus-operated', { 'operated-prometheus': 'true' }, ['http-web', 9090])
const stack = service(
  'kps-prometheus',
  { app: 'kube-prometheus-stack-prometheus' },
  ['http-web', 9090],
  ['reloader-web', 8080]
)
const chart = service(
  'prometheus-server',
  { 'app.kubernetes.io/name': 'prometheus', 'app.kubernetes.io/component': 'server' },
  ['http', 80]
)
const thanos = service(
  'thanos-query',
  { 'app.kubernetes.io/name': 'thanos', 'app.kubernetes.io/component': 'query' },
  ['grpc', 10901],
  ['http', 9090]
)
const mimir = service(
  'mimir-query-frontend',
  { 'app.kubernetes.io/name': 'mimir', 'app.kubernetes.io/component': 'query-frontend' },
  ['http-metrics', 8080],
  ['grpc', 9095]
)

const choices: readonly (readonly [
  name: string,
  services: readonly ServiceView[],
  url: string,
  others: readonly string[]
])[] = [
  ['the operator', [operated], 'http://prometheus-operated.monitoring.svc:9090', []],
  [
    'the stack before the operator',
    [operated, stack],
    'http://kps-prometheus.monitoring.svc:9090',
    ['monitoring/prometheus-operated']
  ],
  ['the chart', [chart], 'http://prometheus-server.monitoring.svc:80', []],
  [
    'Prometheus before Thanos',
    [thanos, operated],
    'http://prometheus-operated.monitoring.svc:9090',
    ['monitoring/thanos-query']
  ],
  ['Thanos by its web port', [thanos], 'http://thanos-query.monitoring.svc:9090', []],
  ['Mimir with its path', [mimir], 'http://mimir-query-frontend.monitoring.svc:8080/prometheus', []]
]
for (const [name, services, url, others] of choices) {
  t.test(`finds ${name}, in whatever order they come`, (t) => {
    for (const order of [services, services.toReversed()]) {
      t.match(choosePrometheus(order), { kind: 'found', url, others })
    }
    t.end()
  })
}

t.test('none: other Services, parts without a web port, labels that are only inherited', (t) => {
  const nodeExporter = service(
    'node-exporter',
    { app: 'prometheus', component: 'node-exporter' },
    ['grpc', 1],
    ['x', 2]
  )

  t.strictSame(choosePrometheus([]), { kind: 'none' })
  t.strictSame(choosePrometheus([service('web', { app: 'web' }, ['http', 80]), nodeExporter]), {
    kind: 'none'
  })
  t.end()
})

t.test('of two alike the first by namespace and name', (t) => {
  const found = choosePrometheus([
    { ...operated, namespace: 'z' },
    { ...operated, namespace: 'a' }
  ])

  t.match(found, { service: 'a/prometheus-operated', others: ['z/prometheus-operated'] })
  t.end()
})

t.test('exporters by their labels, ready ones only, port by name', (t) => {
  const pod = (node: string, podIp: string, labels: Record<string, string>, ready = true) => ({
    node,
    podIp,
    labels,
    ready,
    ports: []
  })
  const found = chooseExporters([
    pod('n2', '10.0.0.2', { app: 'nvidia-dcgm-exporter' }),
    {
      ...pod('n1', 'fd00::1', { 'app.kubernetes.io/name': 'dcgm-exporter' }),
      ports: [{ name: 'metrics', port: 9500 }]
    },
    pod('n3', '10.0.0.3', { app: 'nvidia-dcgm-exporter' }, false),
    pod('n4', '', { app: 'dcgm-exporter' }),
    pod('n5', '10.0.0.5', { app: 'web' })
  ])

  t.strictSame(found, [
    { url: 'http://[fd00::1]:9500/metrics', node: 'n1' },
    { url: 'http://10.0.0.2:9400/metrics', node: 'n2' }
  ])
  t.end()
})
