import t from 'tap'
import { readEnvironment } from '../../../src/core/pod/environment.ts'

const entry = (name: string, value: string) => ({ name, value })

/** What the last entry holds. */
function last(...env: readonly object[]): unknown {
  return readEnvironment({ env }).at(-1)?.content
}

const text = (value: string) => ({ kind: 'text', text: value })

t.test('references are resolved as kubelet does', async (t) => {
  t.strictSame(last(entry('A', 'x'), entry('B', '$(A)y')), text('xy'))
  t.strictSame(last(entry('A', 'x'), entry('B', '$(A)'), entry('C', '$(B)$(B)')), text('xx'))
  t.strictSame(last(entry('B', '$(A)'), entry('A', 'x')), text('x'))
  t.strictSame(last(entry('B', '$(A)')), text('$(A)'), 'a name that nobody defines')
  t.strictSame(last(entry('A', 'x'), entry('B', '$$(A)')), text('$(A)'))
  t.strictSame(last(entry('A', 'x'), entry('B', '$A ${A} $(A')), text('$A ${A} $(A'))
  t.strictSame(
    last(entry('A', 'x'), entry('A', 'y'), entry('B', '$(A)')),
    text('y'),
    'the last of two counts'
  )
  t.strictSame(last({ name: 'A' }), text(''))
})

t.test('what comes from elsewhere is not resolved', async (t) => {
  const secret = { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }
  const field = { name: 'F', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }

  t.strictSame(last(secret), { kind: 'unseen', from: 'Secret s' })
  t.strictSame(last(field), { kind: 'field', from: 'metadata.name' })
  t.strictSame(last({ name: 'F', valueFrom: { fieldRef: {} } }), { kind: 'field', from: 'a field' })
  t.strictSame(last({ name: 'F', valueFrom: { resourceFieldRef: {} } }), {
    kind: 'field',
    from: 'a resource'
  })
  t.strictSame(last({ name: 'X', valueFrom: 7 }), { kind: 'unseen', from: 'a source outside the pod' })
  t.strictSame(last(secret, entry('A', 'x$(S)')), { kind: 'unseen', from: 'Secret s' })
  t.strictSame(
    last(field, entry('A', 'x$(F)')),
    { kind: 'field', from: 'metadata.name' },
    'whatever else it holds'
  )
  t.strictSame(readEnvironment({ envFrom: [{}], env: [entry('A', '$(B)')] })[0]?.content, {
    kind: 'unseen',
    from: 'envFrom'
  })
})

t.test('references that grow without end are given up', async (t) => {
  const doubling = Array.from({ length: 1000 }, (_, index) =>
    entry(`V${index}`, index === 0 ? 'xx' : `$(V${index - 1})$(V${index - 1})`)
  )

  t.strictSame(last(...doubling.slice(0, 10)), text('x'.repeat(1024)))
  t.match(last(...doubling), { kind: 'field' })
  t.strictSame(last(entry('A', `$(B)${'x'.repeat(5000)}`)), {
    kind: 'field',
    from: 'references that grow too long'
  })
  t.strictSame(last(entry('A', 'x'.repeat(5000))), text('x'.repeat(5000)), 'a long text without references')
})

t.test('entries without a name are passed over', async (t) => {
  t.strictSame(readEnvironment({ env: [null, {}, { name: 7 }] }), [])
  t.strictSame(readEnvironment(undefined), [])
})
