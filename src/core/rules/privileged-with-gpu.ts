import { celContainers } from './cel-check.ts'
import { containerRule } from './rule.ts'

const wayOut = 'drop privileged and add the capabilities that are needed, or use a pod without a GPU'

/** A privileged container gets every device of the node, so no request and no slice binds it. */
export const privilegedWithGpu = containerRule(
  'PrivilegedWithGpu',
  ({ privileged }, { hasGpu }) =>
    privileged && hasGpu
      ? {
          seen: 'has securityContext.privileged in a pod with a GPU; it sees every GPU of the node, and a slice would not bind it',
          wayOut
        }
      : undefined,
  {
    offenders: `variables.hasGpu ? ${celContainers('c.?securityContext.?privileged.orValue(false)')} : []`,
    wayOut
  }
)
