import { exemptionPolicies } from './exemption-approval.ts'
import { isolationPolicies } from './isolation-policies.ts'
import { optInPolicies } from './opt-in-guard.ts'
import { reservedKeyPolicies } from './reserved-keys.ts'
import { templatePolicies } from './reserved-keys-in-templates.ts'

import { shippedTable } from './shipped-table.ts'

/** What the API server checks by itself, policies with their bindings; the same on every call. */
export function admissionPolicies(): readonly object[] {
  return [
    shippedTable(),
    ...isolationPolicies(),
    ...exemptionPolicies(),
    ...reservedKeyPolicies(),
    ...templatePolicies(),
    ...optInPolicies()
  ]
}
