import { printFault } from '../../core/policy/fault.ts'
import { showText } from '../../core/rules/show.ts'
import type { Check, Finding } from '../finding.ts'

/** Whether every policy can be followed. */
export const checkPolicies: Check = ({ policies }) => {
  const findings = policies.flatMap((read): readonly Finding[] => {
    if (read.kind === 'valid') return []
    const [first] = read.faults
    const why = first === undefined ? '' : `: ${showText(printFault(first))}`
    const fix = `kubectl describe gpupolicy ${read.name}`
    return [{ level: 'warn', text: `GpuPolicy ${read.name} is invalid and switched off${why}`, fix }]
  })
  if (findings.length > 0) return findings
  if (policies.length === 0)
    return [
      {
        level: 'info',
        text: 'there is no GpuPolicy: nothing will be changed',
        fix: 'manifests/samples/policy.yaml'
      }
    ]
  return [{ level: 'ok', text: `GpuPolicy objects: ${policies.length} valid` }]
}
