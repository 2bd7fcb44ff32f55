import { celVariables } from './cel-check.ts'
import { offendingVariables } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList } from './show.ts'

/** GPUs of one container whose limits HAMi's library looks for; nodes have eight, seldom more. */
const MOST_GPUS = 8

/** From where MPS and HAMi's library take their limits. What stands in the pod counts before what the plugin sets. */
export const limitVariables: ReadonlySet<string> = new Set([
  'CUDA_MPS_PIPE_DIRECTORY',
  'CUDA_DISABLE_CONTROL',
  'CUDA_DEVICE_SM_LIMIT',
  'CUDA_DEVICE_MEMORY_LIMIT',
  ...Array.from({ length: MOST_GPUS }, (_, index) => `CUDA_DEVICE_MEMORY_LIMIT_${index}`)
])
const wayOut = 'drop it; the limit of the share is for who gives it'

/**
 * A client that names another pipe leaves the server that limits its memory; HAMi's library takes variables for the same.
 * @source NVIDIA MPS documentation; Project-HAMi/HAMi-core README
 */
export const mpsPipeOverride = containerRule(
  'MpsPipeOverride',
  (container, { hasSharedGpu }) => {
    const found = hasSharedGpu ? offendingVariables(container, limitVariables, () => false) : []
    return found.length === 0 ? undefined : { seen: `sets ${showList(found)} beside a shared GPU`, wayOut }
  },
  { offenders: `variables.hasSharedGpu ? ${celVariables(limitVariables, 'true')} : []`, wayOut }
)
