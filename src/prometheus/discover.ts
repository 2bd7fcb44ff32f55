/** What of a Service is looked at. */
export interface ServiceView {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly ports: readonly { readonly name: string | undefined; readonly port: number }[]
}

/** A kind of Service that answers the Prometheus API. */
export interface ServiceSign {
  readonly name: string
  /** All of them must be there. */
  readonly labels: Readonly<Record<string, string>>
  /** Port names in the order in which they are preferred; else the usual number, else the only port. */
  readonly portNames: readonly string[]
  readonly usualPort: number
  /** Part of the address before `/api/v1`. */
  readonly path: string
}

const web = ['http-web', 'web', 'http', 'http-prometheus']

/**
 * Signs by which such a Service is known, the preferred first. A plain Prometheus comes before what gathers from several, since it
 * needs no tenant and thins nothing out; who wants the others names the address.
 * @source labels of the charts kube-prometheus-stack, prometheus, thanos, mimir-distributed, victoria-metrics; prometheus-operator
 */
export const serviceSigns: readonly ServiceSign[] = [
  sign('Prometheus', { 'app.kubernetes.io/name': 'prometheus', 'app.kubernetes.io/component': 'server' }),
  sign('Prometheus', { app: 'kube-prometheus-stack-prometheus' }),
  sign('Prometheus', { app: 'prometheus', component: 'server' }),
  sign('Prometheus', { 'app.kubernetes.io/name': 'prometheus' }),
  sign('Prometheus', { app: 'rancher-monitoring-prometheus' }),
  sign('Prometheus', { app: 'prometheus-operator-prometheus' }),
  sign('Prometheus', { 'operated-prometheus': 'true' }),
  sign('Prometheus', { app: 'prometheus' }),
  sign('Prometheus', { app: 'prometheus-server' }),
  {
    ...sign('Thanos', { 'app.kubernetes.io/name': 'thanos', 'app.kubernetes.io/component': 'query' }),
    usualPort: 9090
  },
  { ...sign('Thanos', { 'app.kubernetes.io/name': 'thanos-query' }), usualPort: 9090 },
  { ...sign('VictoriaMetrics', { 'app.kubernetes.io/name': 'vmsingle' }), usualPort: 8429 },
  { ...sign('VictoriaMetrics', { 'app.kubernetes.io/name': 'victoria-metrics-single' }), usualPort: 8428 },
  {
    ...sign('VictoriaMetrics', { 'app.kubernetes.io/name': 'vmselect' }),
    usualPort: 8481,
    path: '/select/0/prometheus'
  },
  {
    ...sign('Mimir', { 'app.kubernetes.io/name': 'mimir', 'app.kubernetes.io/component': 'query-frontend' }),
    usualPort: 8080,
    path: '/prometheus'
  }
]

/** The address to ask, or that there is none. */
export type Discovered =
  | {
      readonly kind: 'found'
      /** `http://prometheus-operated.monitoring.svc:9090` */
      readonly url: string
      /** Kind of server, and `namespace/name` of the Service. */
      readonly server: string
      readonly service: string
      /** Other Services that would have done, as `namespace/name`; a person should choose when there are some. */
      readonly others: readonly string[]
    }
  | { readonly kind: 'none' }

/**
 * Chooses the Service to ask: by the order of the signs, then by namespace and name, so that the same cluster gives the same answer.
 */
export function choosePrometheus(services: readonly ServiceView[]): Discovered {
  const candidates = services.flatMap((service) => {
    const rank = serviceSigns.findIndex(({ labels }) => hasLabels(service, labels))
    const found = serviceSigns[rank]
    const port = found === undefined ? undefined : portOf(service, found)
    return found === undefined || port === undefined ? [] : [{ service, rank, sign: found, port }]
  })
  const sorted = candidates.sort(
    (a, b) => a.rank - b.rank || (nameOf(a.service) < nameOf(b.service) ? -1 : 1)
  )
  const [best, ...rest] = sorted
  if (best === undefined) return { kind: 'none' }
  const { namespace, name } = best.service
  return {
    kind: 'found',
    url: `http://${name}.${namespace}.svc:${best.port}${best.sign.path}`,
    server: best.sign.name,
    service: nameOf(best.service),
    others: rest.map(({ service }) => nameOf(service))
  }
}

function sign(name: string, labels: Readonly<Record<string, string>>): ServiceSign {
  return { name, labels, portNames: web, usualPort: 9090, path: '' }
}

function hasLabels(service: ServiceView, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(service.labels, key) && service.labels[key] === value
  )
}

/** undefined for a Service of another part of the same product, whose ports are none of ours. */
function portOf({ ports }: ServiceView, { portNames, usualPort }: ServiceSign): number | undefined {
  const byName = portNames.flatMap((name) => ports.find((port) => port.name === name)?.port ?? [])
  const usual = ports.find(({ port }) => port === usualPort)?.port
  const only = ports.length === 1 ? ports[0]?.port : undefined
  return byName[0] ?? usual ?? only
}

function nameOf({ namespace, name }: ServiceView): string {
  return `${namespace}/${name}`
}

/** What of a pod is looked at to find exporters. */
export interface ExporterPodView {
  readonly labels: Readonly<Record<string, string>>
  readonly node: string
  readonly podIp: string
  readonly ready: boolean
  readonly ports: readonly { readonly name: string | undefined; readonly port: number }[]
}

/** @source NVIDIA/gpu-operator assets/state-dcgm-exporter; chart dcgm-exporter */
const exporterSigns: readonly Readonly<Record<string, string>>[] = [
  { app: 'nvidia-dcgm-exporter' },
  { 'app.kubernetes.io/name': 'dcgm-exporter' },
  { app: 'dcgm-exporter' }
]

/** Addresses of the dcgm-exporters among some pods, by node; one for each node and address. */
export function chooseExporters(
  pods: readonly ExporterPodView[]
): readonly { readonly url: string; readonly node: string }[] {
  const targets = pods
    .filter(
      ({ ready, podIp, labels }) => ready && podIp !== '' && exporterSigns.some((one) => matches(labels, one))
    )
    .map(({ podIp, node, ports }) => {
      const port = ports.find(({ name }) => name === 'metrics')?.port ?? ports[0]?.port ?? 9400
      const host = podIp.includes(':') ? `[${podIp}]` : podIp
      return { url: `http://${host}:${port}/metrics`, node }
    })
  return targets.sort((a, b) => (`${a.node} ${a.url}` < `${b.node} ${b.url}` ? -1 : 1))
}

function matches(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>
): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}
