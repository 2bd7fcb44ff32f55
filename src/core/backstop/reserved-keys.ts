import { type Cel, celBefore, celList, celText } from '../api/cel.ts'
import {
  admissionPolicyNames,
  nodeAnnotations,
  ownAnnotations,
  PRODUCT_NAMESPACE,
  repartitioningTaint,
  serviceAccounts,
  sliceLabel
} from '../api/names.ts'
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  bindByLevel,
  bindEverywhere,
  type ResourceRule,
  toAdmissionPolicy
} from './admission-policy.ts'

const name = admissionPolicyNames.reservedKeys
const v1 = { apiGroups: [''], apiVersions: ['v1'] } as const

/** Users that may write reserved keys. */
const ourUsers = Object.values(serviceAccounts).map(
  (account) => `system:serviceaccount:${PRODUCT_NAMESPACE}:${account}`
)

/** Which of our keys differ between the object and what it was, as a list of texts. */
function changedKeys(map: 'annotations' | 'labels', keys: readonly string[]): Cel {
  const path = `metadata.?${map}[?key]`
  return `${celList(keys)}.filter(key, object.${path} != ${celBefore(path)})`
}

const changedOnPod = [
  changedKeys('annotations', Object.values(ownAnnotations)),
  changedKeys('labels', [sliceLabel])
].join(' +\n')

function taintsOf(object: 'object' | 'oldObject'): Cel {
  return `${object}.spec.?taints.orValue([]).filter(taint, taint.key == ${celText(repartitioningTaint)})`
}

const changedOnNode = [
  changedKeys('annotations', Object.values(nodeAnnotations)),
  `(${taintsOf('object')} !=\n${taintsOf('oldObject')} ? ${celList([repartitioningTaint])} : [])`
].join(' +\n')

interface Guarded {
  readonly name: string
  readonly resourceRules: readonly ResourceRule[]
  /** List of the keys that the request changes. */
  readonly changed: Cel
}

/** What does not change our keys is none of its business, so that agents of nodes and controllers never meet it. */
function guard({ name, resourceRules, changed }: Guarded): AdmissionPolicy {
  return toAdmissionPolicy({
    name,
    resourceRules,
    matchConditions: { 'reserved-keys-change': `(${changed}).size() > 0` },
    variables: { changed },
    validations: [
      {
        expression: `request.userInfo.username in ${celList(ourUsers)}`,
        messageExpression: [
          `'[ReservedKeyChanged] the request changes what Rightslice alone writes: ' + variables.changed.join(', ')`,
          `'; leave it as it is; help: rightslice explain --reason ReservedKeyChanged'`
        ].join(' + ')
      }
    ]
  })
}

/**
 * Keeps others from changing what we wrote on pods and nodes. New pods are not looked at: the policy sees them after the
 * rewriting webhook, under the name of their user.
 */
export function reservedKeyPolicies(): readonly (AdmissionPolicy | AdmissionPolicyBinding)[] {
  const pods = guard({
    name,
    resourceRules: [
      { ...v1, operations: ['UPDATE'], resources: ['pods', 'pods/status'] },
      // The annotations of a binding are added to the pod.
      { ...v1, operations: ['CREATE'], resources: ['pods/binding', 'bindings'] }
    ],
    changed: changedOnPod
  })
  const nodes = guard({
    name: `${name}-on-nodes`,
    resourceRules: [{ ...v1, operations: ['UPDATE'], resources: ['nodes', 'nodes/status'] }],
    changed: changedOnNode
  })
  return [pods, ...bindByLevel(pods.metadata.name), nodes, bindEverywhere(nodes.metadata.name)]
}
