import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { policiesYaml, runPolicies } from '../../../src/cli/policies.ts'
import {
  admissionPolicyNames,
  namespaceLabels,
  namespaceNameLabel,
  nodeAnnotations,
  ownAnnotations,
  PRODUCT_NAMESPACE,
  RULES_CONFIG_MAP,
  repartitioningTaint,
  sliceLabel,
  systemNamespaces
} from '../../../src/core/api/names.ts'
import { ruleCodes } from '../../../src/core/api/rules.ts'
import { admissionPolicies } from '../../../src/core/backstop/admission-policies.ts'
import { staticRules } from '../../../src/core/backstop/isolation-policies.ts'
import { defaultTable } from '../../../src/core/backstop/rule-table.ts'
import { fieldAt, listOf, stringOf, stringsOf } from '../../../src/core/json.ts'
import { templateKinds } from '../../../src/core/pod/pod-template.ts'

const { isolation, exemptions, reservedKeys, optIn } = admissionPolicyNames
const inTemplates = [`${reservedKeys}-in-templates`, `${reservedKeys}-in-cronjobs`]
const onNodes = `${reservedKeys}-on-nodes`

const nameOf = (object: unknown): string => String(fieldAt(object, 'metadata', 'name'))
const ofKind = (kind: string): readonly object[] =>
  admissionPolicies().filter((object) => stringOf(object, 'kind') === kind)
const policies = ofKind('ValidatingAdmissionPolicy')
const bindings = ofKind('ValidatingAdmissionPolicyBinding')

function specOf(name: string): unknown {
  return fieldAt(
    policies.find((policy) => nameOf(policy) === name),
    'spec'
  )
}

/** `group/resource OPERATION` of all that a policy is asked about. */
function asked(name: string): readonly string[] {
  return listOf(fieldAt(specOf(name), 'matchConstraints'), 'resourceRules').flatMap((rule) =>
    stringsOf(rule, 'resources').flatMap((resource) =>
      stringsOf(rule, 'operations').map(
        (operation) => `${stringsOf(rule, 'apiGroups')[0]}/${resource} ${operation}`
      )
    )
  )
}

function conditionsOf(name: string): string {
  return listOf(specOf(name), 'matchConditions')
    .map((condition) => stringOf(condition, 'expression') ?? '')
    .join('\n')
}

t.test('the committed manifest is fresh', async (t) => {
  const file = new URL('../../../manifests/base/admission-policies.yaml', import.meta.url)

  t.equal(await readFile(file, 'utf8'), policiesYaml(), 'run npm run policies')
  t.strictSame(
    parseAllDocuments(policiesYaml()).map((document): unknown => document.toJS()),
    admissionPolicies()
  )
})

t.test('prints the manifest, or writes it to a file', async (t) => {
  const written: string[] = []
  const file = `${t.testdir()}/policies.yaml`

  await runPolicies({ stdout: { write: (text) => written.push(text) } })
  await runPolicies({ out: file, stdout: { write: () => t.fail('nothing on stdout') } })

  t.strictSame(written, [policiesYaml()])
  t.equal(await readFile(file, 'utf8'), policiesYaml())
})

t.test('kubectl, which reads YAML 1.1, reads the same', async (t) => {
  for (const text of policiesYaml().split('\n---\n'))
    t.strictSame(parse(text, { version: '1.1' }), parse(text))
})

t.test('every policy fails closed, forbids, and leaves out first what is none of its business', async (t) => {
  t.strictSame(policies.map(nameOf), [isolation, exemptions, reservedKeys, onNodes, ...inTemplates, optIn])
  for (const policy of policies) {
    t.match(fieldAt(policy, 'spec'), {
      failurePolicy: 'Fail',
      matchConstraints: { matchPolicy: 'Equivalent' },
      validations: [{ reason: 'Forbidden', messageExpression: String }]
    })
    t.ok(listOf(fieldAt(policy, 'spec'), 'matchConditions').length > 0, nameOf(policy))
  }
})

t.test('[BACK1] [BACK2] pods and nodes: every key, every way to write it', async (t) => {
  t.strictSame(asked(reservedKeys), [
    '/pods UPDATE',
    '/pods/status UPDATE',
    '/pods/binding CREATE',
    '/bindings CREATE'
  ])
  t.strictSame(asked(onNodes), ['/nodes UPDATE', '/nodes/status UPDATE'])
  for (const key of [...Object.values(ownAnnotations), sliceLabel])
    for (const name of [reservedKeys, ...inTemplates]) t.match(conditionsOf(name), `'${key}'`)
  for (const key of [...Object.values(nodeAnnotations), repartitioningTaint])
    t.match(conditionsOf(onNodes), `'${key}'`)
})

t.test('[BACK3] templates of every kind that Kubernetes comes with', async (t) => {
  const kinds = templateKinds.filter((kind) => kind !== 'Pod').map((kind) => `${kind.toLowerCase()}s`)

  const resources = inTemplates.flatMap((name) =>
    asked(name).map((entry) => entry.replace(/^.*\/(\w+) .*$/, '$1'))
  )

  t.strictSame([...new Set(resources)].toSorted(), kinds.toSorted())
  t.equal(resources.length, 2 * kinds.length, 'created and updated')
})

t.test('[BACK5] namespaces and what else carries their labels', async (t) => {
  t.strictSame(
    asked(optIn),
    ['', '/status', '/finalize'].flatMap((subresource) => [
      `/namespaces${subresource} CREATE`,
      `/namespaces${subresource} UPDATE`
    ])
  )
})

t.test('[BACK1] [BACK2] [BACK5] [BACK6] [BACK13] where they act, and how', async (t) => {
  const everywhere = [exemptions, onNodes, optIn]

  for (const name of policies.map(nameOf).filter((name) => name !== isolation)) {
    const own = bindings.filter((binding) => fieldAt(binding, 'spec', 'policyName') === name)
    const want = everywhere.includes(name)
      ? [[name, ['Deny'], undefined]]
      : [
          [`${name}-enforce`, ['Deny'], selectorOf('enforce')],
          [`${name}-warn`, ['Warn', 'Audit'], selectorOf('warn')]
        ]
    t.strictSame(
      own.map((binding) => [
        nameOf(binding),
        fieldAt(binding, 'spec', 'validationActions'),
        fieldAt(binding, 'spec', 'matchResources')
      ]),
      want
    )
  }
})

function selectorOf(level: string): object {
  return {
    namespaceSelector: {
      matchExpressions: [
        { key: namespaceLabels.rightsize, operator: 'In', values: [level] },
        { key: namespaceNameLabel, operator: 'NotIn', values: [PRODUCT_NAMESPACE, ...systemNamespaces] }
      ]
    }
  }
}

t.test('[BACK7] [BACK11] the isolation rules act by the table, and refuse without it', async (t) => {
  const table = { name: RULES_CONFIG_MAP, namespace: PRODUCT_NAMESPACE }
  t.match(specOf(isolation), { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })
  t.strictSame(asked(isolation), ['/pods CREATE', '/pods UPDATE', '/pods/ephemeralcontainers UPDATE'])
  t.strictSame(
    bindings
      .filter((binding) => fieldAt(binding, 'spec', 'policyName') === isolation)
      .map((binding) => fieldAt(binding, 'spec')),
    [
      ['enforce', 'Deny', 'Deny'],
      ['warn', 'Warn', 'Allow']
    ].map(([level = '', action, withoutTable]) => ({
      policyName: isolation,
      validationActions: [action],
      paramRef: { ...table, parameterNotFoundAction: withoutTable },
      matchResources: selectorOf(level)
    }))
  )
  t.match(ofKind('ConfigMap'), [{ metadata: table, data: defaultTable() }])
})

t.test('[BACK10] every rule but those that need the cluster is among the policies', async (t) => {
  const told = staticRules.map(({ code }) => code)

  t.strictSame(
    ruleCodes.filter((code) => !told.includes(code)),
    ['NamedProfileNotAllowed', 'RequestNeverMet', 'ReservedKeyChanged']
  )
  const variables = listOf(specOf(isolation), 'variables').map((variable) => stringOf(variable, 'name'))
  for (const code of told) t.ok(variables.includes(code), code)
})
