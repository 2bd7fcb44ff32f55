import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { configOptions } from '../src/config/schema.ts'
import {
  API_GROUP,
  APPROVE_VERB,
  authoritySecret,
  namespaceLabels,
  namespaceNameLabel,
  OPT_OUT_VERB,
  ownAnnotations,
  PRODUCT_NAMESPACE,
  serviceAccounts,
  sliceLabel,
  systemNamespaces,
  webhookConfigurations,
  webhookNames,
  webhookService
} from '../src/core/api/names.ts'
import { fieldAt, isRecord, type JsonRecord, listOf, stringOf, stringsOf } from '../src/core/json.ts'
import { toEffectivePolicy } from '../src/core/policy/effective-policy.ts'
import { REWRITE_PATH } from '../src/server/routes/admission/rewrite.ts'
import { serverNames } from '../src/tls/make-certificates.ts'
import { deployedEnv } from './build/deployed-env.ts'

const base = new URL('../manifests/base/', import.meta.url)

function documentsOf(file: URL): readonly JsonRecord[] {
  return parseAllDocuments(readFileSync(file, 'utf8'))
    .map((document): unknown => document.toJS())
    .filter(isRecord)
}

const kustomization: unknown = parse(readFileSync(new URL('kustomization.yaml', base), 'utf8'))
const objects = stringsOf(kustomization, 'resources').flatMap((file) => documentsOf(new URL(file, base)))

/** The controller's objects and the roles for people are looked at elsewhere. */
function theOne(kind: string): JsonRecord {
  const [object, ...others] = objects.filter(
    (candidate) =>
      candidate['kind'] === kind && !['controller', 'roles'].includes(componentOf(candidate) ?? '')
  )
  if (object === undefined || others.length > 0) throw new Error(`there is not exactly one ${kind}`)
  return object
}

function componentOf(object: JsonRecord): string | undefined {
  return stringOf(fieldAt(object, 'metadata', 'labels'), 'app.kubernetes.io/component')
}

const configuration = theOne('MutatingWebhookConfiguration')
const webhooks = listOf(configuration, 'webhooks')
const deployment = theOne('Deployment')
const template = fieldAt(deployment, 'spec', 'template')
const podSpec = fieldAt(template, 'spec')
const [container] = listOf(podSpec, 'containers')
const defaults = new Map<string, string>(configOptions().map(({ key, default: value }) => [key, value]))

t.test('the base names every file of its folder, the CRDs among them', async (t) => {
  const files = readdirSync(base).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')

  t.strictSame(stringsOf(kustomization, 'resources').toSorted(), files.toSorted())
  t.ok(objects.some((object) => object['kind'] === 'CustomResourceDefinition'))
})

t.test('everything with a namespace lies in that of the default settings', async (t) => {
  for (const object of objects) {
    const namespace = stringOf(object['metadata'], 'namespace')
    if (namespace !== undefined) t.equal(namespace, defaults.get('ownNamespace'))
  }
  t.equal(fieldAt(theOne('Namespace'), 'metadata', 'name'), defaults.get('ownNamespace'))
})

t.test('PSA restricted: the namespace demands it', async (t) => {
  t.match(theOne('Namespace'), {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } }
  })
})

t.test('there is one webhook, under its name', async (t) => {
  t.strictSame(
    webhooks.map((webhook) => stringOf(webhook, 'name')),
    [webhookNames.rewrite]
  )
})

for (const webhook of webhooks) {
  t.test(
    `${stringOf(webhook, 'name')} timeouts, failurePolicy, sideEffects, matchPolicy: it cannot hold up or break a cluster`,
    async (t) => {
      t.match(webhook, {
        failurePolicy: 'Ignore',
        timeoutSeconds: 2,
        reinvocationPolicy: 'IfNeeded',
        sideEffects: 'None',
        matchPolicy: 'Equivalent'
      })
      t.strictSame(fieldAt(webhook, 'admissionReviewVersions'), ['v1'])
      t.equal(fieldAt(webhook, 'objectSelector'), undefined)
      t.equal(fieldAt(webhook, 'clientConfig', 'caBundle'), undefined, 'never an empty bundle')
    }
  )

  t.test(`${stringOf(webhook, 'name')} is asked about new pods alone`, async (t) => {
    t.strictSame(fieldAt(webhook, 'rules'), [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['pods'],
        scope: 'Namespaced'
      }
    ])
  })

  t.test(
    `${stringOf(webhook, 'name')} exclusions: asked for namespaces that opted in, and never for those of the system`,
    async (t) => {
      t.strictSame(fieldAt(webhook, 'namespaceSelector', 'matchExpressions'), [
        { key: namespaceLabels.rightsize, operator: 'In', values: ['warn', 'enforce'] },
        {
          key: namespaceNameLabel,
          operator: 'NotIn',
          values: [
            'kube-system',
            'kube-public',
            'kube-node-lease',
            'rightslice-system',
            'gpu-operator',
            'nvidia-gpu-operator'
          ]
        }
      ])
    }
  )

  t.test(`${stringOf(webhook, 'name')} guards every optional field in its conditions`, async (t) => {
    const conditions = listOf(webhook, 'matchConditions')

    t.strictSame(
      conditions.map((condition) => stringOf(condition, 'name')),
      ['not-a-mirror-pod', 'not-being-deleted', 'gpu-or-our-marks']
    )
    for (const condition of conditions) {
      const expression = stringOf(condition, 'expression') ?? ''
      const read = expression.match(/object\.(metadata|spec)\.\w+|c\.resources(\.\w+)?/g) ?? []
      for (const field of read) t.ok(expression.includes(`has(${field})`), `has(${field})`)
    }
  })

  t.test(`${stringOf(webhook, 'name')} sees every mark that is reserved to us`, async (t) => {
    const expression = listOf(webhook, 'matchConditions')
      .map((condition) => stringOf(condition, 'expression') ?? '')
      .join('\n')

    for (const mark of [...Object.values(ownAnnotations), sliceLabel]) t.match(expression, `'${mark}'`)
  })
}

t.test('the path of the webhook is the route, and its Service leads to the port', async (t) => {
  const service = theOne('Service')
  t.match(webhooks[0], {
    clientConfig: {
      service: {
        path: REWRITE_PATH,
        port: 443,
        name: fieldAt(service, 'metadata', 'name'),
        namespace: fieldAt(service, 'metadata', 'namespace')
      }
    }
  })
  t.match(service, { spec: { ports: [{ port: 443, targetPort: 'https' }] } })
  t.match(container, {
    ports: [
      { name: 'https', containerPort: Number(defaults.get('listenPort')) },
      { name: 'health', containerPort: Number(defaults.get('healthPort')) }
    ]
  })
  t.strictSame(fieldAt(service, 'spec', 'selector'), fieldAt(template, 'metadata', 'labels'))
})

t.test('the configurations and the Service have the names that the webhook knows', async (t) => {
  const shipped = objects.filter(({ kind }) => String(kind).endsWith('WebhookConfiguration'))

  t.strictSame(
    shipped.map(({ kind, metadata }) => [kind, stringOf(metadata, 'name')]),
    webhookConfigurations.map(({ kind, name }) => [kind, name])
  )
  t.equal(fieldAt(theOne('Service'), 'metadata', 'name'), webhookService)
})

t.test('with cert-manager certificates lie where the settings look for them', async (t) => {
  const [deploymentPatch] = documentsOf(new URL('../cert-manager/deployment.yaml', base))
  const patched = fieldAt(deploymentPatch, 'spec', 'template', 'spec')
  const [mounting] = listOf(patched, 'containers')
  const mount = stringOf(listOf(mounting, 'volumeMounts')[0], 'mountPath')
  const certificates = documentsOf(new URL('../cert-manager/certificates.yaml', base))
  const [served] = certificates.filter(
    (object) => fieldAt(object, 'spec', 'secretName') === 'rightslice-webhook-tls'
  )
  const names = serverNames({ service: webhookService, namespace: String(defaults.get('ownNamespace')) })

  t.strictSame(
    [defaults.get('tlsCertFile'), defaults.get('tlsKeyFile')],
    [`${mount}/tls.crt`, `${mount}/tls.key`]
  )
  t.match(patched, { volumes: [{ secret: { secretName: 'rightslice-webhook-tls' } }] })
  t.match(mounting, { env: [{ name: 'RIGHTSLICE_CERTIFICATES', value: defaults.get('certificates') }] })
  const dnsNames = listOf(fieldAt(served, 'spec'), 'dnsNames')
  t.ok(dnsNames.length > 0 && dnsNames.every((name) => names.includes(String(name))))
})

t.test('the certificate script makes names for this Service', async (t) => {
  const service = String(fieldAt(theOne('Service'), 'metadata', 'name'))
  const namespace = String(fieldAt(theOne('Service'), 'metadata', 'namespace'))

  const names = serverNames({ service, namespace })

  t.ok(names.includes(`${service}.${namespace}.svc`))
  t.match(readFileSync(new URL('../certs/make.ts', import.meta.url), 'utf8'), `default: '${namespace}'`)
})

t.test(
  'RBAC golden: the webhook may mirror thirteen kinds, and write its authorities and who believes them, by name',
  async (t) => {
    const verbs = ['list', 'watch']
    const named = (plural: string): readonly string[] =>
      webhookConfigurations.filter((one) => one.plural === plural).map(({ name }) => name)
    const trust = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((plural) => ({
      apiGroups: ['admissionregistration.k8s.io'],
      resources: [plural],
      resourceNames: named(plural),
      verbs: ['get', ...verbs, 'patch']
    }))

    t.strictSame(fieldAt(theOne('ClusterRole'), 'rules'), [
      { apiGroups: [''], resources: ['namespaces', 'nodes', 'pods'], verbs },
      { apiGroups: [''], resources: ['resourcequotas', 'limitranges'], verbs },
      { apiGroups: ['apps'], resources: ['replicasets'], verbs },
      { apiGroups: ['batch'], resources: ['jobs'], verbs },
      { apiGroups: [API_GROUP], resources: ['gpupolicies', 'gpuworkloads', 'gpuexemptions'], verbs },
      {
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceslices', 'deviceclasses', 'resourceclaimtemplates'],
        verbs
      },
      ...trust
    ])
    t.strictSame(fieldAt(theOne('Role'), 'rules'), [
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: [authoritySecret], verbs: ['get', 'patch'] }
    ])
    const account = fieldAt(podSpec, 'serviceAccountName')
    t.equal(account, fieldAt(theOne('ServiceAccount'), 'metadata', 'name'))
    for (const kind of ['ClusterRole', 'Role'] as const)
      t.match(theOne(`${kind}Binding`), {
        roleRef: { kind, name: fieldAt(theOne(kind), 'metadata', 'name') },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace: defaults.get('ownNamespace') }]
      })
  }
)

t.test(
  'people get roles: who may change policies may take a namespace out, who may view may not',
  async (t) => {
    const roles = objects.filter((object) => componentOf(object) === 'roles')
    const rulesOf = (name: string): unknown =>
      fieldAt(
        roles.find((role) => fieldAt(role, 'metadata', 'name') === name),
        'rules'
      )

    t.strictSame(
      roles.map((role) => [role['kind'], fieldAt(role, 'metadata', 'name')]),
      [
        ['ClusterRole', 'rightslice-admin'],
        ['ClusterRole', 'rightslice-view'],
        ['ClusterRole', 'rightslice-edit'],
        ['ClusterRole', 'rightslice-approver']
      ]
    )
    t.strictSame(rulesOf('rightslice-admin'), [
      {
        apiGroups: [API_GROUP],
        resources: ['gpupolicies'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', OPT_OUT_VERB]
      }
    ])
    t.strictSame(rulesOf('rightslice-view'), [
      {
        apiGroups: [API_GROUP],
        resources: ['gpuworkloads', 'gpuexemptions'],
        verbs: ['get', 'list', 'watch']
      }
    ])
    t.strictSame(rulesOf('rightslice-edit'), [
      { apiGroups: [API_GROUP], resources: ['gpuexemptions'], verbs: ['create', 'update', 'patch', 'delete'] }
    ])
    t.strictSame(rulesOf('rightslice-approver'), [
      {
        apiGroups: [API_GROUP],
        resources: ['gpuexemptions'],
        verbs: ['get', 'list', 'watch', 'update', 'patch', APPROVE_VERB]
      }
    ])
  }
)

t.test('policies know our accounts, our namespace and the namespaces of the system', async (t) => {
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount')
  const fromSettings = String(defaults.get('systemNamespaces')).split(',')

  t.strictSame(
    accounts.map((account) => String(fieldAt(account, 'metadata', 'name'))).toSorted(),
    Object.values(serviceAccounts).toSorted()
  )
  t.equal(PRODUCT_NAMESPACE, defaults.get('ownNamespace'))
  for (const name of systemNamespaces)
    t.ok(
      fromSettings.some((entry) => entry.trim() === name),
      name
    )
})

t.test('every collection that is read may be read', async (t) => {
  const source = ['cluster-reader', 'device-mirrors', 'gpu-pods', 'limit-mirrors', 'quota-mirror']
    .map((name) => readFileSync(new URL(`../src/compose/${name}.ts`, import.meta.url), 'utf8'))
    .join('')
  const rules = listOf(theOne('ClusterRole'), 'rules').filter(
    (rule) => listOf(rule, 'resourceNames').length === 0
  )
  const allowed = rules.flatMap((rule) =>
    stringsOf(rule, 'resources').map((resource) => `${stringsOf(rule, 'apiGroups')[0]}/${resource}`)
  )

  const paths = [...source.matchAll(/path: '\/apis?\/(?:([^/']+)\/)?v[^/']+\/([^']+)'/g)]

  t.strictSame(paths.map(([, group = '', resource]) => `${group}/${resource}`).toSorted(), allowed.toSorted())
})

t.test(
  'three replicas survive a node, a drain and a roll-out, as a webhook that fails closed must',
  async (t) => {
    t.match(fieldAt(deployment, 'spec'), {
      replicas: 3,
      minReadySeconds: 10,
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
    })
    t.match(podSpec, {
      priorityClassName: 'system-cluster-critical',
      topologySpreadConstraints: [
        { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
        { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' }
      ]
    })
    t.match(theOne('PodDisruptionBudget'), { spec: { minAvailable: 2 } })
    t.strictSame(
      fieldAt(theOne('PodDisruptionBudget'), 'spec', 'selector', 'matchLabels'),
      fieldAt(template, 'metadata', 'labels')
    )
  }
)

t.test('a quota admits its priority class outside kube-system, with room for a roll-out', async (t) => {
  const spec = fieldAt(theOne('ResourceQuota'), 'spec')
  const replicas = Number(fieldAt(deployment, 'spec', 'replicas'))

  t.strictSame(fieldAt(spec, 'scopeSelector', 'matchExpressions'), [
    { scopeName: 'PriorityClass', operator: 'In', values: [fieldAt(podSpec, 'priorityClassName')] }
  ])
  t.strictSame(fieldAt(spec, 'hard'), { pods: '20' })
  t.ok(Number(fieldAt(spec, 'hard', 'pods')) > 2 * replicas)
})

t.test('its pods are restricted', async (t) => {
  t.match(fieldAt(podSpec, 'securityContext'), {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' }
  })
  t.ok(Number(fieldAt(podSpec, 'securityContext', 'runAsUser')) >= 10_000)
  t.strictSame(fieldAt(container, 'securityContext'), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] }
  })
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) t.equal(fieldAt(podSpec, field), undefined)
})

t.test('memory is bounded, CPU is not, and the heap is three quarters of the memory', async (t) => {
  const limits = fieldAt(container, 'resources', 'limits')

  t.equal(fieldAt(limits, 'cpu'), undefined)
  t.match(fieldAt(container, 'resources', 'requests'), { cpu: String, memory: String })
  const limitMiB = Number.parseInt(stringOf(limits, 'memory') ?? '', 10)
  t.strictSame(deployedEnv('webhook'), {
    NODE_OPTIONS: `--max-old-space-size=${limitMiB * 0.75} --max-semi-space-size=8`,
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072'
  })
})

t.test('the settings of the pod fit the defaults', async (t) => {
  const keeper = listOf(container, 'env').find(
    (entry) => stringOf(entry, 'name') === 'RIGHTSLICE_CERTIFICATES'
  )
  t.equal(stringOf(keeper, 'value'), 'managed')
  t.strictSame([listOf(podSpec, 'volumes'), listOf(container, 'volumeMounts')], [[], []])
  t.ok(Number(fieldAt(podSpec, 'terminationGracePeriodSeconds')) >= Number(defaults.get('drainSeconds')) + 15)
  t.equal(fieldAt(podSpec, 'enableServiceLinks'), false)
  const known = configOptions().map(({ variable }) => variable)
  for (const entry of listOf(container, 'env')) {
    const name = stringOf(entry, 'name') ?? ''
    if (name.startsWith('RIGHTSLICE_')) t.ok(known.includes(name), name)
  }
})

t.test('health is asked on its own port', async (t) => {
  t.match(container, {
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' } }
  })
})

t.test('the sample policy is valid', async (t) => {
  const [sample, ...others] = documentsOf(new URL('../manifests/samples/policy.yaml', import.meta.url))

  t.strictSame(others, [])
  t.match(toEffectivePolicy(sample), {
    kind: 'valid',
    policy: { name: 'dc1-mig', headroomRatio: 0.2 },
    refused: []
  })
})
