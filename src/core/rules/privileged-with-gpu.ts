import { containerRule } from './rule.ts'

/** A privileged container gets every device of the node, so no request and no slice binds it. */
export const privilegedWithGpu = containerRule('PrivilegedWithGpu', ({ privileged }, { hasGpu }) =>
  privileged && hasGpu
    ? {
        seen: 'has securityContext.privileged in a pod with a GPU; it sees every GPU of the node, and a slice would not bind it',
        wayOut: 'drop privileged and add the capabilities that are needed, or use a pod without a GPU'
      }
    : undefined
)
