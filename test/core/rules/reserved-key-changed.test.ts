import { readSecurity } from '../../../src/core/pod/security-view.ts'
import { testRule } from '../../build/isolation.ts'

const marked = {
  annotations: { 'rightslice.dev/decision': 'FitsMigProfile' },
  labels: { 'rightslice.dev/slice': 'shared' }
}

testRule('ReservedKeyChanged', [
  {
    name: '[RULE29] in a template',
    metadata: marked,
    input: { isTemplate: true },
    says: [/the pod writes rightslice\.dev\/decision, rightslice\.dev\/slice/]
  },
  { name: '[RULE29] on a new pod the patch puts it right', metadata: marked },
  {
    name: '[RULE6] [RULE29] changed by an update',
    metadata: marked,
    input: { operation: 'UPDATE', before: readSecurity({}) },
    says: [/rightslice\.dev\/decision/]
  },
  {
    name: '[RULE29] left as they are by an update',
    metadata: marked,
    input: { operation: 'UPDATE', before: readSecurity({ metadata: marked }) }
  },
  {
    name: '[RULE29] wishes of users',
    metadata: { annotations: { 'rightslice.dev/pin': 'shared' } },
    input: { isTemplate: true }
  }
])
