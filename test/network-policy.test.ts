import { readFileSync } from 'node:fs'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { configOptions } from '../src/config/schema.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../src/core/json.ts'
import { serviceSigns } from '../src/prometheus/discover.ts'

function objectsOf(file: string): readonly JsonRecord[] {
  const text = readFileSync(new URL(`../manifests/base/${file}`, import.meta.url), 'utf8')
  return parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter(isRecord)
}

const policies = objectsOf('network-policy.yaml')
const API_SERVER_PORTS = [443, 6443]

/** Ports that a policy opens in a direction, by who may be met there: `anybody` or `pods`. */
function openedBy(policy: unknown, direction: 'ingress' | 'egress', peers: 'from' | 'to') {
  return listOf(fieldOf(policy, 'spec'), direction).flatMap((rule) => {
    const who = fieldOf(rule, peers) === undefined ? 'anybody' : 'pods'
    return listOf(rule, 'ports').map((port) => [who, fieldOf(port, 'port'), fieldOf(port, 'protocol')])
  })
}

function policyOf(component: string): JsonRecord {
  const [policy, ...others] = policies.filter(
    (candidate) =>
      fieldAt(candidate, 'spec', 'podSelector', 'matchLabels', 'app.kubernetes.io/component') === component
  )
  if (policy === undefined || others.length > 0) throw new Error(`there is not exactly one for ${component}`)
  return policy
}

for (const [component, file] of [
  ['webhook', 'deployment.yaml'],
  ['controller', 'controller-deployment.yaml']
] as const) {
  const [deployment] = objectsOf(file)
  const policy = policyOf(component)

  t.test(`the policy of the ${component} selects its pods, in both directions`, async (t) => {
    const labels = fieldAt(deployment, 'spec', 'template', 'metadata', 'labels')

    t.strictSame(fieldAt(policy, 'spec', 'podSelector', 'matchLabels'), labels)
    t.strictSame(fieldAt(policy, 'spec', 'policyTypes'), ['Ingress', 'Egress'])
  })

  t.test(`every port of the ${component} can be reached: https by anybody, health by pods`, async (t) => {
    const [container] = listOf(fieldAt(deployment, 'spec', 'template', 'spec'), 'containers')
    const ports = listOf(container, 'ports').map((port) => stringOf(port, 'name'))

    t.strictSame(
      openedBy(policy, 'ingress', 'from'),
      ports.map((name) => [name === 'https' ? 'anybody' : 'pods', name, 'TCP'])
    )
  })
}

const everywhere = [
  ['anybody', 53, 'UDP'],
  ['anybody', 53, 'TCP'],
  ...API_SERVER_PORTS.map((port) => ['anybody', port, 'TCP'])
]

t.test('the webhook may reach names, API servers and a collector of traces, and nothing else', async (t) => {
  t.strictSame(openedBy(policyOf('webhook'), 'egress', 'to'), [...everywhere, ['pods', 4318, 'TCP']])
})

t.test('the controller may reach the metrics servers that it finds besides, and exporters', async (t) => {
  const opened = openedBy(policyOf('controller'), 'egress', 'to')
  const further = opened.slice(everywhere.length)

  t.strictSame(opened.slice(0, everywhere.length), everywhere)
  t.strictSame(
    further.map(([who, , protocol]) => `${String(who)} ${String(protocol)}`),
    [...Array.from({ length: 6 }, () => 'pods TCP'), 'anybody TCP']
  )
  const ports = further.map(([, port]) => port)
  for (const { usualPort, name } of serviceSigns) t.ok(ports.includes(usualPort), `${name} ${usualPort}`)
  t.equal(ports.at(-1), 9400, 'of each dcgm-exporter')
})

t.test(
  'nothing may reach our own health port from outside the cluster, and it is a port of ours',
  async (t) => {
    const port = configOptions().find(({ key }) => key === 'healthPort')?.default

    t.equal(port, '8080')
    for (const policy of policies)
      t.notOk(
        openedBy(policy, 'ingress', 'from').some(([who, name]) => who === 'anybody' && name !== 'https')
      )
  }
)
