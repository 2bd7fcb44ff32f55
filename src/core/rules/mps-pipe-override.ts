import { celVariables } from './cel-check.ts'
import { offendingVariables } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList } from './show.ts'

const names: ReadonlySet<string> = new Set(['CUDA_MPS_PIPE_DIRECTORY', 'CUDA_DISABLE_CONTROL'])
const wayOut = 'drop it; the limit of the share is for who gives it'

/**
 * A client that names another pipe leaves the server that limits its memory; HAMi's library takes a variable for the same.
 * @source NVIDIA MPS documentation; Project-HAMi/HAMi-core README
 */
export const mpsPipeOverride = containerRule(
  'MpsPipeOverride',
  (container, { hasSharedGpu }) => {
    const found = hasSharedGpu ? offendingVariables(container, names, () => false) : []
    return found.length === 0 ? undefined : { seen: `sets ${showList(found)} beside a shared GPU`, wayOut }
  },
  { offenders: `variables.hasSharedGpu ? ${celVariables(names, 'true')} : []`, wayOut }
)
