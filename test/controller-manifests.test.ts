import { readFileSync } from 'node:fs'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { configOptions } from '../src/config/schema.ts'
import { API_GROUP, RULES_CONFIG_MAP } from '../src/core/api/names.ts'
import { fieldAt, isRecord, type JsonRecord, listOf, stringOf, stringsOf } from '../src/core/json.ts'
import { deployedEnv } from './build/deployed-env.ts'

const base = new URL('../manifests/base/', import.meta.url)
const objects = ['controller-rbac.yaml', 'controller-deployment.yaml'].flatMap((file) =>
  parseAllDocuments(readFileSync(new URL(file, base), 'utf8'))
    .map((document): unknown => document.toJS())
    .filter(isRecord)
)
const defaults = new Map<string, string>(configOptions().map(({ key, default: value }) => [key, value]))

function theOne(kind: string): JsonRecord {
  const [object, ...others] = objects.filter((candidate) => candidate['kind'] === kind)
  if (object === undefined || others.length > 0) throw new Error(`there is not exactly one ${kind}`)
  return object
}

const template = fieldAt(theOne('Deployment'), 'spec', 'template')
const podSpec = fieldAt(template, 'spec')
const [container] = listOf(podSpec, 'containers')

/** What a role allows: `group/resource` to its verbs. */
function allowedBy(kind: 'ClusterRole' | 'Role'): ReadonlyMap<string, readonly string[]> {
  const rules = listOf(theOne(kind), 'rules').flatMap((rule) =>
    stringsOf(rule, 'resources').map(
      (resource) => [`${stringsOf(rule, 'apiGroups')[0]}/${resource}`, stringsOf(rule, 'verbs')] as const
    )
  )
  return new Map(rules)
}

function source(file: string): string {
  return readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')
}

t.test('what is mirrored may be read, and nothing else', async (t) => {
  const paths = [
    ...[
      source('compose/cluster-reader.ts'),
      source('compose/device-mirrors.ts'),
      source('compose/quota-mirror.ts'),
      source('main-controller.ts')
    ]
      .join('')
      .matchAll(/path: '\/apis?\/(?:([^/']+)\/)?v[^/']+\/([^']+)'/g)
  ].map(([, group = '', resource]) => `${group}/${resource}`)
  const readable = [...allowedBy('ClusterRole')].filter(([, verbs]) => verbs.includes('watch'))

  t.strictSame(readable.map(([name]) => name).toSorted(), paths.toSorted())
  for (const [name, verbs] of readable) t.strictSame(verbs.slice(0, 2), ['list', 'watch'], name)
})

t.test('RBAC golden: the controller may write what it writes, and no more', async (t) => {
  const writable = [...allowedBy('ClusterRole')].flatMap(([name, verbs]) => {
    const writing = verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb))
    return writing.length === 0 ? [] : [[name, writing]]
  })

  t.strictSame(Object.fromEntries(writable), {
    [`${API_GROUP}/gpuworkloads`]: ['create', 'patch', 'delete'],
    [`${API_GROUP}/gpuworkloads/status`]: ['patch'],
    [`${API_GROUP}/gpupolicies/status`]: ['patch'],
    [`${API_GROUP}/gpuexemptions/status`]: ['patch'],
    '/events': ['create'],
    '/pods/eviction': ['create'],
    'resource.k8s.io/resourceclaimtemplates': ['create', 'patch', 'delete'],
    'openreports.io/reports': ['create', 'patch', 'delete'],
    'wgpolicyk8s.io/policyreports': ['create', 'patch', 'delete']
  })
  t.strictSame(allowedBy('ClusterRole').get('/services'), ['list'])
  t.strictSame(allowedBy('ClusterRole').get('/persistentvolumes'), ['list'])
})

t.test('of leases and ConfigMaps it may have its own alone', async (t) => {
  t.strictSame(fieldAt(theOne('Role'), 'rules'), [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [defaults.get('leaseName')],
      verbs: ['get', 'update']
    },
    {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: [RULES_CONFIG_MAP],
      verbs: ['create', 'patch']
    }
  ])
})

t.test('roles are bound to the account of its pods', async (t) => {
  const account = fieldAt(podSpec, 'serviceAccountName')

  t.equal(account, fieldAt(theOne('ServiceAccount'), 'metadata', 'name'))
  for (const [binding, kind] of [
    ['ClusterRoleBinding', 'ClusterRole'],
    ['RoleBinding', 'Role']
  ] as const) {
    t.match(theOne(binding), {
      roleRef: { kind, name: fieldAt(theOne(kind), 'metadata', 'name') },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: defaults.get('ownNamespace') }]
    })
  }
})

t.test('its objects lie in the namespace of the default settings', async (t) => {
  for (const object of objects) {
    const namespace = stringOf(object['metadata'], 'namespace')
    if (namespace !== undefined) t.equal(namespace, defaults.get('ownNamespace'))
  }
})

t.test('its pods are restricted, and ask for the health port alone', async (t) => {
  t.match(fieldAt(podSpec, 'securityContext'), {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' }
  })
  t.strictSame(fieldAt(container, 'securityContext'), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] }
  })
  t.strictSame(fieldAt(container, 'ports'), [
    { name: 'health', containerPort: Number(defaults.get('healthPort')) }
  ])
  t.match(container, {
    args: ['controller'],
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' } }
  })
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) t.equal(fieldAt(podSpec, field), undefined)
})

t.test('the heap is three quarters of the memory, and the settings are known', async (t) => {
  const limitMiB = Number.parseInt(stringOf(fieldAt(container, 'resources', 'limits'), 'memory') ?? '', 10)
  const known = configOptions().map(({ variable }) => variable)

  t.strictSame(deployedEnv('controller'), {
    NODE_OPTIONS: `--max-old-space-size=${limitMiB * 0.75} --max-semi-space-size=8`,
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072'
  })
  t.equal(fieldAt(container, 'resources', 'limits', 'cpu'), undefined)
  for (const entry of listOf(container, 'env')) {
    const name = stringOf(entry, 'name') ?? ''
    if (name.startsWith('RIGHTSLICE_')) t.ok(known.includes(name), name)
  }
})
