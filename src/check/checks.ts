import { checkCertificates } from './checks/certificates.ts'
import { checkCluster } from './checks/cluster.ts'
import { checkConfigurations } from './checks/configurations.ts'
import { checkCustomResources } from './checks/custom-resources.ts'
import { checkLimits } from './checks/limits.ts'
import { checkNamespaces } from './checks/namespaces.ts'
import { checkPolicies } from './checks/policies.ts'
import { checkReach } from './checks/reach.ts'
import { checkReplicas } from './checks/replicas.ts'
import { type Check, type Finding, type FindingLevel, findingLevels } from './finding.ts'
import type { Installation } from './installation.ts'

/** Every check by its name, in the order in which they are told: from the ground up. */
const checks = {
  cluster: checkCluster,
  customResources: checkCustomResources,
  replicas: checkReplicas,
  configurations: checkConfigurations,
  certificates: checkCertificates,
  reach: checkReach,
  policies: checkPolicies,
  namespaces: checkNamespaces,
  limits: checkLimits
} satisfies Readonly<Record<string, Check>>

/** A finding and the check that made it. */
export interface NamedFinding extends Finding {
  readonly check: string
}

/** Everything that checks have to say of an installation. */
export function checkInstallation(installation: Installation): readonly NamedFinding[] {
  return Object.entries(checks).flatMap(([check, judge]) =>
    judge(installation).map((finding) => ({ check, ...finding }))
  )
}

/** The level that matters most among findings; `ok` where there is none. */
export function worstOf(findings: readonly Finding[]): FindingLevel {
  return findings.reduce<FindingLevel>(
    (worst, { level }) => (findingLevels.indexOf(level) > findingLevels.indexOf(worst) ? level : worst),
    'ok'
  )
}
