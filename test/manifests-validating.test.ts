import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { namespaceLabels, namespaceNameLabel, webhookNames } from '../src/core/api/names.ts'
import { fieldAt, fieldOf, isRecord, listOf, stringOf, stringsOf } from '../src/core/json.ts'
import { ADVICE_PATH } from '../src/server/routes/admission/advice.ts'
import { ISOLATION_PATH } from '../src/server/routes/admission/isolation.ts'

const base = new URL('../manifests/base/', import.meta.url)
const configurations = parseAllDocuments(readFileSync(new URL('webhook-validating.yaml', base), 'utf8'))
  .map((document): unknown => document.toJS())
  .filter(isRecord)
const webhooks = configurations.flatMap((configuration) => listOf(configuration, 'webhooks'))
const rewrite = listOf(parse(readFileSync(new URL('webhook.yaml', base), 'utf8')), 'webhooks')[0]

function named(name: string): unknown {
  return webhooks.find((webhook) => stringOf(webhook, 'name') === name)
}

function conditionOf(name: string, condition: string): string {
  const found = listOf(named(name), 'matchConditions').find((entry) => stringOf(entry, 'name') === condition)
  return (stringOf(found, 'expression') ?? '').replaceAll(/\s+/g, ' ').trim()
}

const { isolation, advice } = webhookNames
const envFrom = `envfrom.${isolation}`
const workloads = `workloads.${advice}`
const namespaces = `namespaces.${advice}`

t.test('isolation and advice are configurations of their own, under their names', async (t) => {
  t.strictSame(
    configurations.map(({ kind, metadata }) => [kind, stringOf(metadata, 'name')]),
    [
      ['ValidatingWebhookConfiguration', 'rightslice-isolation'],
      ['ValidatingWebhookConfiguration', 'rightslice-advice']
    ]
  )
  t.strictSame(
    webhooks.map((webhook) => stringOf(webhook, 'name')),
    [isolation, envFrom, advice, workloads, namespaces]
  )
})

for (const { name, failurePolicy, timeoutSeconds, path } of [
  { name: isolation, failurePolicy: 'Fail', timeoutSeconds: 3, path: ISOLATION_PATH },
  { name: envFrom, failurePolicy: 'Ignore', timeoutSeconds: 3, path: ISOLATION_PATH },
  { name: advice, failurePolicy: 'Ignore', timeoutSeconds: 2, path: ADVICE_PATH },
  { name: workloads, failurePolicy: 'Ignore', timeoutSeconds: 2, path: ADVICE_PATH },
  { name: namespaces, failurePolicy: 'Ignore', timeoutSeconds: 2, path: ADVICE_PATH }
]) {
  t.test(
    `${name} timeouts, failurePolicy, sideEffects, matchPolicy: what happens when nobody answers, and where it is asked`,
    async (t) => {
      const webhook = named(name)

      t.match(webhook, { failurePolicy, timeoutSeconds, sideEffects: 'None', matchPolicy: 'Equivalent' })
      t.strictSame(fieldAt(webhook, 'admissionReviewVersions'), ['v1'])
      t.equal(fieldAt(webhook, 'objectSelector'), undefined)
      t.strictSame(fieldAt(webhook, 'clientConfig'), {
        service: { name: 'rightslice', namespace: 'rightslice-system', path, port: 443 }
      })
    }
  )
}

for (const [name, values] of Object.entries({
  [isolation]: ['enforce'],
  [envFrom]: ['enforce'],
  [advice]: ['warn'],
  [workloads]: ['warn', 'enforce']
})) {
  t.test(
    `${name} exclusions: asked for ${values.join(' and ')} namespaces, and never for those of the system`,
    async (t) => {
      const system = listOf(fieldOf(rewrite, 'namespaceSelector'), 'matchExpressions').find(
        (entry) => stringOf(entry, 'key') === namespaceNameLabel
      )

      t.strictSame(fieldAt(named(name), 'namespaceSelector', 'matchExpressions'), [
        { key: namespaceLabels.rightsize, operator: 'In', values },
        system
      ])
    }
  )
}

for (const name of [isolation, envFrom, advice]) {
  t.test(`${name} is asked about new pods and ephemeral containers, not about other updates`, async (t) => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], scope: 'Namespaced' }
    t.strictSame(fieldAt(named(name), 'rules'), [
      { ...rule, operations: ['CREATE'], resources: ['pods'] },
      { ...rule, operations: ['UPDATE'], resources: ['pods/ephemeralcontainers'] }
    ])
  })
}

t.test('workloads of every kind that makes GPU pods are told', async (t) => {
  t.strictSame(
    listOf(named(workloads), 'rules').flatMap((rule) => stringsOf(rule, 'resources')),
    [
      'deployments',
      'statefulsets',
      'daemonsets',
      'replicasets',
      'jobs',
      'cronjobs',
      'rayclusters',
      'rayjobs',
      'pytorchjobs',
      'mpijobs',
      'notebooks',
      'jobsets',
      'leaderworkersets',
      'inferenceservices'
    ]
  )
})

t.test('pods without a mark are never sent where nobody answering means refusal', async (t) => {
  const marked = conditionOf(isolation, 'has-a-mark')

  for (const mark of [
    'nvidia.com/',
    'NVIDIA_VISIBLE',
    'NVIDIA_MIG_',
    'CUDA_MPS_',
    'LD_PRELOAD',
    'hostPath',
    'csi',
    'nvidia-container-devices',
    'privileged',
    'hostPID',
    'hostIPC',
    'runtimeClassName',
    'cdi.k8s.io/',
    'nodeName',
    'resourceClaims',
    'initContainers',
    'ephemeralContainers'
  ])
    t.ok(marked.includes(mark), mark)
  t.notOk(marked.includes('envFrom'))
})

t.test(
  'a pod whose only mark is envFrom goes to the entry that does not hold it up, and every other one not',
  async (t) => {
    const marked = conditionOf(isolation, 'has-a-mark')

    t.equal(conditionOf(envFrom, 'has-no-other-mark'), `!(${marked})`)
    t.equal(
      conditionOf(advice, 'has-a-mark-or-env-from'),
      `${marked} || ${conditionOf(envFrom, 'has-env-from')}`
    )
  }
)

t.test('optional fields are guarded in every condition', async (t) => {
  for (const webhook of webhooks) {
    for (const condition of listOf(webhook, 'matchConditions')) {
      const expression = stringOf(condition, 'expression') ?? ''
      const bare =
        expression.match(/\b(?:c|object\.(?:metadata|spec|)|oldObject\.metadata)\.(?!\?)\w+/g) ?? []
      for (const field of bare) {
        const isGuarded = expression.includes(`has(${field}`) || /^object\.(metadata|spec)$/.test(field)
        t.ok(isGuarded || /\.(metadata|spec)$/.test(field), `${stringOf(condition, 'name')}: ${field}`)
      }
    }
  }
})
