import type { Cel } from '../api/cel.ts'
import { namespaceLabels, namespaceNameLabel, PRODUCT_NAMESPACE, systemNamespaces } from '../api/names.ts'

const apiVersion = 'admissionregistration.k8s.io/v1'
const labels = {
  'app.kubernetes.io/name': 'rightslice',
  'app.kubernetes.io/component': 'admission-policy'
} as const

/** Which requests a policy is asked about. */
export interface ResourceRule {
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly operations: readonly ('CREATE' | 'UPDATE')[]
  /** Plurals; a subresource is named apart, `pods` does not stand for `pods/status`. */
  readonly resources: readonly string[]
}

interface NamedExpression {
  readonly name: string
  readonly expression: Cel
}

/** What one policy says. */
export interface PolicyDraft {
  readonly name: string
  readonly resourceRules: readonly ResourceRule[]
  /** By name: all must hold, or the policy does not concern the request. They know no variables. */
  readonly matchConditions: Readonly<Record<string, Cel>>
  /** By name; later ones may use earlier ones. */
  readonly variables?: Readonly<Record<string, Cel>>
  /** The first that does not hold is told. */
  readonly validations: readonly Validation[]
  /** Kind of the object that a binding hands to the policy; absent: none. */
  readonly parameters?: ParamKind
}

interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

interface Validation {
  /** Holds when the request is admitted. */
  readonly expression: Cel
  /** One line; the authorizer is not known to it. */
  readonly messageExpression: Cel
  /** Told where the expression gives no text; absent: the expression always does. */
  readonly message?: string
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/validating-admission-policy-v1/ */
export interface AdmissionPolicy {
  readonly apiVersion: typeof apiVersion
  readonly kind: 'ValidatingAdmissionPolicy'
  readonly metadata: { readonly name: string; readonly labels: typeof labels }
  readonly spec: {
    readonly failurePolicy: 'Fail'
    readonly paramKind?: ParamKind
    readonly matchConstraints: {
      readonly matchPolicy: 'Equivalent'
      readonly resourceRules: readonly ResourceRule[]
    }
    readonly matchConditions: readonly NamedExpression[]
    readonly variables?: readonly NamedExpression[]
    readonly validations: readonly (Validation & { readonly reason: 'Forbidden' })[]
  }
}

type Action = 'Deny' | 'Warn' | 'Audit'

/** The one object that a policy reads besides the request. */
export interface TableRef {
  readonly name: string
  readonly namespace: string
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/validating-admission-policy-binding-v1/ */
export interface AdmissionPolicyBinding {
  readonly apiVersion: typeof apiVersion
  readonly kind: 'ValidatingAdmissionPolicyBinding'
  readonly metadata: { readonly name: string; readonly labels: typeof labels }
  readonly spec: {
    readonly policyName: string
    readonly validationActions: readonly Action[]
    readonly matchResources?: { readonly namespaceSelector: object }
    readonly paramRef?: TableRef & { readonly parameterNotFoundAction: 'Deny' | 'Allow' }
  }
}

/** The policy of a draft. It fails closed, and what it refuses is forbidden (HTTP 403). */
export function toAdmissionPolicy(draft: PolicyDraft): AdmissionPolicy {
  const { name, resourceRules, matchConditions, variables, validations, parameters } = draft
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, labels },
    spec: {
      failurePolicy: 'Fail',
      ...(parameters === undefined ? {} : { paramKind: parameters }),
      matchConstraints: { matchPolicy: 'Equivalent', resourceRules },
      matchConditions: named(matchConditions),
      ...(variables === undefined ? {} : { variables: named(variables) }),
      validations: validations.map((validation) => ({ ...validation, reason: 'Forbidden' }))
    }
  }
}

function named(expressions: Readonly<Record<string, Cel>>): readonly NamedExpression[] {
  return Object.entries(expressions).map(([name, expression]) => ({ name, expression }))
}

/** Makes a policy refuse everywhere. */
export function bindEverywhere(policyName: string): AdmissionPolicyBinding {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: policyName, labels },
    spec: { policyName, validationActions: ['Deny'] }
  }
}

/** Makes a policy refuse in namespaces on `enforce` and warn in those on `warn`; those of the system are left alone. */
export function bindByLevel(policyName: string): readonly AdmissionPolicyBinding[] {
  const actions = { enforce: ['Deny'], warn: ['Warn', 'Audit'] } as const
  return Object.entries(actions).map(([level, validationActions]) => ({
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${policyName}-${level}`, labels },
    spec: { policyName, validationActions, matchResources: { namespaceSelector: namespacesOn(level) } }
  }))
}

/** How a policy is bound that reads a table. */
export interface TableBinding {
  readonly level: 'enforce' | 'warn'
  readonly action: Action
  readonly table: TableRef
  /** What becomes of requests while there is no table. */
  readonly withoutTable: 'Deny' | 'Allow'
}

/** Makes a policy act by a table, in namespaces on a level; those of the system are left alone. */
export function bindToTable(
  policyName: string,
  { level, action, table, withoutTable }: TableBinding
): AdmissionPolicyBinding {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${policyName}-${level}`, labels },
    spec: {
      policyName,
      validationActions: [action],
      paramRef: { ...table, parameterNotFoundAction: withoutTable },
      matchResources: { namespaceSelector: namespacesOn(level) }
    }
  }
}

function namespacesOn(level: string): object {
  return {
    matchExpressions: [
      { key: namespaceLabels.rightsize, operator: 'In', values: [level] },
      { key: namespaceNameLabel, operator: 'NotIn', values: [PRODUCT_NAMESPACE, ...systemNamespaces] }
    ]
  }
}
