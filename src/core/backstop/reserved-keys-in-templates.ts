import { type Cel, celBefore, celList } from '../api/cel.ts'
import { admissionPolicyNames, ownAnnotations, sliceLabel } from '../api/names.ts'
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  bindByLevel,
  type ResourceRule,
  toAdmissionPolicy
} from './admission-policy.ts'

/** Kinds whose template lies in one place, under the name of one policy. */
interface Shape {
  readonly name: string
  /** Group to plurals. */
  readonly resources: Readonly<Record<string, readonly string[]>>
  /** Fields on the way to the pod template. */
  readonly path: readonly string[]
}

const shapes: readonly Shape[] = [
  {
    name: `${admissionPolicyNames.reservedKeys}-in-templates`,
    resources: {
      '': ['replicationcontrollers'],
      apps: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'],
      batch: ['jobs']
    },
    path: ['spec', 'template']
  },
  {
    name: `${admissionPolicyNames.reservedKeys}-in-cronjobs`,
    resources: { batch: ['cronjobs'] },
    path: ['spec', 'jobTemplate', 'spec', 'template']
  }
]

/** Which of our keys are in the template now and were not before, or not so. */
function addedKeys(path: readonly string[], map: 'annotations' | 'labels', keys: readonly string[]): Cel {
  const value = `${[...path, 'metadata', map].join('.?')}[?key]`
  return `${celList(keys)}.filter(key, object.${value}.hasValue() && object.${value} != ${celBefore(value)})`
}

/**
 * What a controller makes for an owner is no news to anybody: its owner has been looked at. An owner alone proves nothing,
 * for anyone can write one.
 */
const isMadeByController = [
  'object.metadata.?ownerReferences.orValue([]).exists(owner, owner.?controller.orValue(false))',
  "(request.userInfo.username == 'system:kube-controller-manager' ||\n'system:serviceaccounts:kube-system' in request.userInfo.groups)"
].join(' &&\n')

function toPolicy({ name, resources, path }: Shape): AdmissionPolicy {
  const added = [
    addedKeys(path, 'annotations', Object.values(ownAnnotations)),
    addedKeys(path, 'labels', [sliceLabel])
  ].join(' +\n')
  return toAdmissionPolicy({
    name,
    resourceRules: Object.entries(resources).map(toRule),
    matchConditions: {
      'reserved-keys-added': `(${added}).size() > 0`,
      'not-made-by-a-controller': `!(${isMadeByController})`
    },
    variables: { added },
    validations: [
      {
        expression: 'variables.added.size() == 0',
        messageExpression: [
          `'[ReservedKeyChanged] the pod template holds what Rightslice alone writes: ' + variables.added.join(', ')`,
          `'; leave it out; help: rightslice explain --reason ReservedKeyChanged'`
        ].join(' + ')
      }
    ]
  })
}

function toRule([group, resources]: readonly [string, readonly string[]]): ResourceRule {
  return { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources }
}

/**
 * Keeps our keys out of the templates of Kubernetes' own workloads. What held them before may keep them, so that it can
 * still be scaled. Templates of other kinds are left to advice: an expression that their next version does not fit would
 * hold up what is not ours.
 */
export function templatePolicies(): readonly (AdmissionPolicy | AdmissionPolicyBinding)[] {
  return shapes.flatMap((shape) => [toPolicy(shape), ...bindByLevel(shape.name)])
}
