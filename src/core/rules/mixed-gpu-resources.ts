import { askPatterns, celAsks } from './asks.ts'
import { celPod } from './cel-check.ts'
import type { Rule } from './rule.ts'
import { showList } from './show.ts'

const wayOut = 'ask for whole GPUs or for shares, and use two pods for both'

/** Whole GPUs and shares in one pod: each resource sets the same variable, and a peak tells nothing about such a pod. */
export const mixedGpuResources: Rule = {
  code: 'MixedGpuResources',
  cel: {
    offenders: celPod(
      `variables.all.exists(c, ${celAsks(askPatterns.whole)}) && variables.all.exists(c, ${celAsks(`${askPatterns.slice}|${askPatterns.replica}`)})`
    ),
    wayOut
  },
  find: ({ asks }) => {
    const whole = asks.filter(({ resource }) => resource.kind === 'whole')
    const shares = asks.filter(({ resource }) => resource.kind === 'mig' || resource.kind === 'shared')
    const [first] = whole
    if (first === undefined || shares.length === 0) return []
    const inOne = shares.every(({ container }) => container === first.container) && whole.length === 1
    const names = [...new Set([first, ...shares].map(({ name }) => name))]
    return [
      {
        rule: 'MixedGpuResources',
        container: inOne ? first.container : undefined,
        seen: `asks for ${showList(names)} together`,
        wayOut
      }
    ]
  }
}
