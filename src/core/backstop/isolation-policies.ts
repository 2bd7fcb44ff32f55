import { celList, celText } from '../api/cel.ts'
import { admissionPolicyNames, namespaceLabels, PRODUCT_NAMESPACE, RULES_CONFIG_MAP } from '../api/names.ts'
import { type RuleCode, rules } from '../api/rules.ts'
import type { CelCheck } from '../rules/cel-check.ts'
import { chain } from '../rules/chain.ts'
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  bindToTable,
  toAdmissionPolicy
} from './admission-policy.ts'
import { isolationVariables } from './isolation-variables.ts'

interface StaticRule {
  readonly code: RuleCode
  readonly cel: CelCheck
}

/** Rules that need nothing but the pod, its namespace's labels and the table. */
export const staticRules: readonly StaticRule[] = chain.flatMap(({ code, cel }) =>
  cel === undefined ? [] : { code, cel }
)

/** Longest list of names in a message, characters; the API server drops messages beyond 5 KiB. */
const MAX_NAMES = 150

/** Keys of the parameter object; see `tableKeys`. */
const tableVariables: Readonly<Record<string, string>> = {
  isWarned: `namespaceObject.metadata.?labels[?'${namespaceLabels.rightsize}'].orValue('') == 'warn'`,
  table: `has(params.data) ? params.data : {}`,
  policy: `variables.table[?('namespace.' + request.namespace)].orValue('')`,
  levels: levelsOf(),
  owner: `object.metadata.?ownerReferences.orValue([]).filter(o, o.?controller.orValue(false)).map(o, o.kind + '/' + o.name)`,
  subjects: subjectsOf(),
  pairs: `variables.labels.map(k, k + '=' + variables.labels[k])`,
  exempt: `${celList(staticRules.map(({ code }) => code))}.filter(r, variables.table[?('exempt.' + request.namespace + '.' + r)].orValue('').split(' ').exists(s,
    s == '*' || s in variables.subjects || (s.startsWith('label:') && s.substring(6).split(',').all(p, p in variables.pairs))))`
}

/** Level of every rule here: of the policy of the namespace, else the default, else what is built in. */
function levelsOf(): string {
  const own = `variables.table[?('policy.' + variables.policy + '.' + r)]`
  const usual = `variables.table[?('default.' + r)]`
  const builtIn = (level: string): string =>
    celList(staticRules.filter(({ code }) => rules[code].defaultLevel === level).map(({ code }) => code))
  const known = `(r in ${builtIn('Enforce')} ? 'Enforce' : r in ${builtIn('Warn')} ? 'Warn' : 'Off')`
  return `${celList(staticRules.map(({ code }) => code))}.map(r, r + '=' + ${own}.orValue(${usual}.orValue(${known})))`
}

/** What the pod says that it belongs to: its owner, and what made that by the names that Kubernetes gives. */
function subjectsOf(): string {
  const hash = `variables.labels[?'pod-template-hash'].orValue('')`
  const deployments = `variables.owner.filter(o, ${hash} != '' && o.startsWith('ReplicaSet/') && o.endsWith('-' + ${hash})).map(o, 'Deployment/' + o.substring(11, o.size() - ${hash}.size() - 1))`
  const generated = `object.metadata.?generateName.orValue('')`
  const prefix = `(${generated}.endsWith('-') ? ${generated}.substring(0, ${generated}.size() - 1) : ${generated})`
  const bare = `variables.owner.size() > 0 ? [] : ['Pod/' + object.metadata.?name.orValue(''), 'Pod/' + ${prefix}]`
  return `variables.owner + ${deployments} + (${bare})`
}

/** Rules that are broken and act here, a text each: on `enforce` those at that level, on `warn` all that are not off. */
function broken(): string {
  const at = (code: RuleCode, level: string): string => `'${code}=${level}' in variables.levels`
  const acts = (code: RuleCode): string =>
    `(${at(code, 'Enforce')} || (variables.isWarned && ${at(code, 'Warn')}))`
  return staticRules
    .map(({ code, cel: { wayOut } }) => {
      const names = `variables.${code}.join(', ')`
      const shown = `(${names}.size() > ${MAX_NAMES} ? ${names}.substring(0, ${MAX_NAMES - 3}) + '...' : ${names})`
      const told = `'[${code}] ' + ${shown} + ${celText(`: ${rules[code].summary} ${wayOut[0]?.toUpperCase()}${wayOut.slice(1)}.`)}`
      return `(${acts(code)} && !('${code}' in variables.exempt) && variables.${code}.size() > 0 ? [${told}] : [])`
    })
    .join(' +\n')
}

const ruleVariables = Object.fromEntries(staticRules.map(({ code, cel: { offenders } }) => [code, offenders]))

const resourceRules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['UPDATE'],
    resources: ['pods', 'pods/ephemeralcontainers']
  }
] as const

/**
 * The isolation rules without us, as far as they need nothing but the pod. Without the table pods are refused on `enforce`, and
 * nobody is warned.
 */
export function isolationPolicies(): readonly (AdmissionPolicy | AdmissionPolicyBinding)[] {
  const table = { name: RULES_CONFIG_MAP, namespace: PRODUCT_NAMESPACE }
  const policy = toAdmissionPolicy({
    name: admissionPolicyNames.isolation,
    resourceRules,
    parameters: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConditions: {
      'not-a-mirror-pod': `!('kubernetes.io/config.mirror' in object.metadata.?annotations.orValue({}))`,
      'not-being-deleted': '!has(object.metadata.deletionTimestamp)',
      // Of a pod that is there, its containers aside, nothing that rules look at can change but annotations that inject devices.
      'may-break-a-rule': `request.operation == 'CREATE' || request.?subResource.orValue('') != '' || object.metadata.?annotations.orValue({}).exists(k, k.contains('cdi.k8s.io/'))`,
      'not-left-alone': `!(('outside.' + request.namespace) in (has(params.data) ? params.data : {}))`
    },
    variables: { ...isolationVariables, ...tableVariables, ...ruleVariables, broken: broken() },
    validations: [
      {
        expression: 'variables.broken.size() == 0',
        messageExpression: `variables.broken.join(' ') + ' Help: rightslice explain --reason CODE'`,
        message: 'the pod breaks isolation rules; rightslice explain -f FILE names them'
      }
    ]
  })
  return [
    policy,
    bindToTable(policy.metadata.name, { level: 'enforce', action: 'Deny', table, withoutTable: 'Deny' }),
    bindToTable(policy.metadata.name, { level: 'warn', action: 'Warn', table, withoutTable: 'Allow' })
  ]
}
