import { celText } from '../api/cel.ts'
import { API_GROUP, API_VERSION, APPROVE_VERB, admissionPolicyNames } from '../api/names.ts'
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  bindEverywhere,
  toAdmissionPolicy
} from './admission-policy.ts'

/** Whoever only repeats what is there, or takes the approval away, approves nothing. */
const approves = `has(object.spec.approval) && (request.operation == 'CREATE' || object.spec != oldObject.spec)`

const mayApprove = `authorizer.group(${celText(API_GROUP)}).resource('gpuexemptions').namespace(request.namespace).check(${celText(APPROVE_VERB)}).allowed()`
const isWhatWasRead = `request.operation == 'CREATE' || object.spec.approval.?generation.orValue(0) == oldObject.metadata.generation`
const isOwnName = 'object.spec.approval.by == request.userInfo.username'

/**
 * Nobody but those with the verb writes an approval, or changes an exemption that has one; nobody approves under another name, or
 * something else than what was read. The approval itself needs no trust in who may write the object.
 */
export function exemptionPolicies(): readonly (AdmissionPolicy | AdmissionPolicyBinding)[] {
  const policy = toAdmissionPolicy({
    name: admissionPolicyNames.exemptions,
    resourceRules: [
      {
        apiGroups: [API_GROUP],
        apiVersions: [API_VERSION],
        operations: ['CREATE', 'UPDATE'],
        resources: ['gpuexemptions']
      }
    ],
    matchConditions: { approves },
    validations: [
      {
        expression: mayApprove,
        messageExpression: `${celText(
          `an approval, and every change of an approved exemption, needs the verb ${APPROVE_VERB} on gpuexemptions.${API_GROUP} in namespace `
        )} + request.namespace + '; leave spec.approval out and ask somebody with the role rightslice-approver'`
      },
      {
        expression: isOwnName,
        messageExpression: `'spec.approval.by must be your own name, ' + request.userInfo.username`
      },
      {
        expression: isWhatWasRead,
        messageExpression: `'spec.approval.generation must be that of the exemption as it is now, ' + string(oldObject.metadata.generation) + ', so that nothing is approved that was not read'`
      }
    ]
  })
  return [policy, bindEverywhere(policy.metadata.name)]
}
