import { showText } from '../../core/rules/show.ts'
import type { Check } from '../finding.ts'

/**
 * Whether the API server reaches the webhook and believes it: the advice webhook has something to say about a namespace that opts in.
 * Where it is not registered, nobody is asked.
 */
export const checkReach: Check = ({ configurations, probe }) => {
  const advice = configurations.find(({ configuration }) => configuration.name === 'rightslice-advice')
  if (advice?.live.kind === 'absent') return []
  const fix = 'Service, NetworkPolicy, port 8443 from the control plane; the log of the API server says why'
  switch (probe.kind) {
    case 'forbidden':
      return [
        { level: 'info', text: 'whether the webhook is reached is not known: namespaces may not be created' }
      ]
    case 'refused':
      return [{ level: 'fail', text: `a namespace that opts in is refused: ${showText(probe.message)}`, fix }]
    case 'passed': {
      const hasAnswered = probe.warnings.some((text) => text.startsWith('rightslice:'))
      return hasAnswered
        ? [{ level: 'ok', text: 'the API server reaches the webhook and believes it' }]
        : [{ level: 'fail', text: 'the API server gets no answer from the webhook', fix }]
    }
  }
}
