import { type Cel, celBefore, celList, celText } from '../api/cel.ts'
import { API_GROUP, admissionPolicyNames, namespaceLabels, OPT_OUT_VERB } from '../api/names.ts'
import { levelOrder } from '../policy/enforcement.ts'
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  bindEverywhere,
  toAdmissionPolicy
} from './admission-policy.ts'

const { rightsize, isolation } = namespaceLabels
const SHARED = 'shared-ok'

/** A label of the namespace, and what it was: nothing when the namespace is new. */
function labelOf(key: string): { readonly now: Cel; readonly before: Cel } {
  const path = `metadata.?labels[?${celText(key)}]`
  return { now: `object.${path}`, before: celBefore(path) }
}

/** Rank of a level: 0 for `off`, for no label and for a value that means nothing. */
function rankOf(label: Cel): Cel {
  const ranks = levelOrder.map((level, rank) => `${celText(level)}: ${rank}`).join(', ')
  return `{${ranks}}[?${label}.orValue('')].orValue(0)`
}

function isShared(label: Cel): Cel {
  return `${label}.orValue('') == ${celText(SHARED)}`
}

const level = labelOf(rightsize)
const sharing = labelOf(isolation)
const isLowered = `${rankOf(level.now)} < ${rankOf(level.before)}`
const isOpened = `${isShared(sharing.now)} && !(${isShared(sharing.before)})`

const levels = celList(levelOrder)
const variables = {
  before: rankOf(level.before),
  after: rankOf(level.now),
  lowering: `variables.after < variables.before ?\n[${celText(`lowering ${rightsize} from `)} + ${levels}[variables.before] + ' to ' + ${levels}[variables.after]] : []`,
  sharing: `${isOpened} ?\n${celList([`setting ${isolation}=${SHARED}`])} : []`
}

/**
 * Keeps people who may edit a namespace from taking it out of isolation: that needs a verb of its own. The subresources
 * of a namespace carry its labels too. A namespace may still be deleted.
 */
export function optInPolicies(): readonly (AdmissionPolicy | AdmissionPolicyBinding)[] {
  const policy = toAdmissionPolicy({
    name: admissionPolicyNames.optIn,
    resourceRules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['namespaces', 'namespaces/status', 'namespaces/finalize']
      }
    ],
    matchConditions: { 'isolation-ends': `${isLowered} ||\n${isOpened}` },
    variables,
    validations: [
      {
        expression: `authorizer.group(${celText(API_GROUP)}).resource('gpupolicies').check(${celText(OPT_OUT_VERB)}).allowed()`,
        messageExpression: [
          "'namespace ' + object.metadata.name + ': ' + (variables.lowering + variables.sharing).join(' and ')",
          celText(
            ` takes its pods out of isolation, which needs the verb ${OPT_OUT_VERB} on gpupolicies.${API_GROUP}; ask somebody with the role rightslice-admin`
          )
        ].join(' + ')
      }
    ]
  })
  return [policy, bindEverywhere(policy.metadata.name)]
}
