import { celPod } from './cel-check.ts'
import { podRule } from './rule.ts'

const wayOut = 'drop it; shareProcessNamespace shows the processes of the pod'

/** The processes of the node, with their open device files, are those of other tenants too. */
export const hostPidWithGpu = podRule(
  'HostPidWithGpu',
  ({ security, hasGpu, occasion }) =>
    security.hostPid && hasGpu && occasion !== 'debug'
      ? { seen: 'has spec.hostPID in a pod with a GPU; processes of others become visible', wayOut }
      : undefined,
  { offenders: celPod('object.spec.?hostPID.orValue(false) && variables.hasGpu'), wayOut }
)
