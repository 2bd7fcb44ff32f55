import { namespaceLabels } from '../../core/api/names.ts'
import { enforcementOf } from '../../core/policy/enforcement.ts'
import { showList, showText } from '../../core/rules/show.ts'
import type { Check } from '../finding.ts'

const levels = ['off', 'warn', 'enforce']

/** Which namespaces have opted in, and whose label means nothing. */
export const checkNamespaces: Check = ({ namespaces }) => {
  const count = (level: string): number =>
    namespaces.filter(({ labels }) => enforcementOf(labels) === level).length
  const [enforce, warn] = [count('enforce'), count('warn')]
  const misspelt = namespaces.flatMap(({ name, labels }) => {
    const value = labels[namespaceLabels.rightsize]
    return value === undefined || levels.includes(value) ? [] : [`${name} (${showText(value)})`]
  })
  const opted = `namespaces that opted in: ${enforce} enforce, ${warn} warn`
  const fix = `kubectl label namespace NAME ${namespaceLabels.rightsize}=warn`
  return [
    enforce + warn === 0
      ? { level: 'info', text: 'no namespace has opted in: nothing will be changed', fix }
      : { level: 'ok', text: opted },
    ...(misspelt.length === 0
      ? []
      : [
          {
            level: 'warn' as const,
            text: `label ${namespaceLabels.rightsize} counts as off in ${showList(misspelt)}`,
            fix: `known are ${levels.join(', ')}`
          }
        ])
  ]
}
