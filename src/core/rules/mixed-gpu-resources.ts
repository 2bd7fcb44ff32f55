import { isOwnTemplate, TEMPLATE_PREFIX } from '../cluster/devices/claim-template.ts'
import { askPatterns, celAsks } from './asks.ts'
import { celPod } from './cel-check.ts'
import type { Rule } from './rule.ts'
import { showList, showText } from './show.ts'

const wayOut = 'ask for whole GPUs or for shares, and use two pods for both'

/** Whether the pod has a claim from a template that the controller keeps, for the API server. */
const celOwnClaim = `object.spec.?resourceClaims.orValue([]).exists(r, r.?resourceClaimTemplateName.orValue('').startsWith('${TEMPLATE_PREFIX}'))`

/** Whole GPUs and shares in one pod: each resource sets the same variable, and a peak tells nothing about such a pod. */
export const mixedGpuResources: Rule = {
  code: 'MixedGpuResources',
  cel: {
    offenders: celPod(
      `variables.all.exists(c, ${celAsks(askPatterns.whole)}) && (variables.all.exists(c, ${celAsks(`${askPatterns.slice}|${askPatterns.replica}`)}) || ${celOwnClaim})`
    ),
    wayOut
  },
  find: ({ asks, pod }) => {
    const whole = asks.filter(({ resource }) => resource.kind === 'whole')
    const shares = asks.filter(({ resource }) => resource.kind === 'mig' || resource.kind === 'shared')
    const [first] = whole
    const templates = pod.claims.flatMap(({ template }) => (isOwnTemplate(template) ? [template] : []))
    if (first === undefined || shares.length + templates.length === 0) return []
    const isAlone = templates.length === 0 && whole.length === 1
    const inOne = isAlone && shares.every(({ container }) => container === first.container)
    const names = [...new Set([...[first, ...shares].map(({ name }) => name), ...templates.map(showText)])]
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
