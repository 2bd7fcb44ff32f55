import t from 'tap'
import { type EnvVariable, environmentReader } from '../../../src/core/pod/environment.ts'
import { growthOf, MOST_GROWTH } from '../../build/growth.ts'

const entry = (name: string, value: string) => ({ name, value })

/** The entries of the only container of a pod. */
function readEnvironment(container: unknown): readonly EnvVariable[] {
  return environmentReader()(container)
}

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

t.test('what follows the last reference is read as it is', async (t) => {
  t.strictSame(last(entry('A', 'x'), entry('B', '$(A)$$(A$(')), text('x$(A$('))
  t.strictSame(last(entry('A', 'x'), entry('B', '$(A)$$$')), text('x$$'))
  t.strictSame(last(entry('B', '$$$$ $(')), text('$$ $('))
  t.strictSame(
    last(entry('$(A', 'x'), entry('B', '$($(A)$(')),
    text('x$('),
    'a name goes to the first bracket'
  )
})

t.test('references of one pod together add 65,536 characters', async (t) => {
  const long = [entry('A', 'x'.repeat(4000)), ...Array.from({ length: 20 }, () => entry('B', '$(A)'))]
  const short = [entry('A', 'x'), entry('B', '$(A)')]
  const read = environmentReader()

  const kinds = read({ env: long }).map(({ content }) => content.kind)

  t.strictSame(
    kinds,
    [...Array(17).fill('text'), ...Array(4).fill('field')],
    '16 of 4,000, after the text itself'
  )
  t.strictSame(read({ env: short }).at(-1)?.content, text('x'), 'another container, as far as there is room')
  t.match(read({ env: long }).at(-1)?.content, { kind: 'field', from: 'references that grow too long' })
})

t.test('texts of references in a pod do not grow with the number of entries', async (t) => {
  const lengthOf = (count: number): number => {
    const env = [entry('A', 'x'.repeat(4000)), ...Array.from({ length: count }, () => entry('B', '$(A)'))]
    const texts = readEnvironment({ env }).flatMap(({ content }) =>
      content.kind === 'text' ? content.text : []
    )
    return texts.join('').length
  }

  t.equal(lengthOf(2000), lengthOf(1000))
})

for (const unit of ['$(', '$(A', '$()']) {
  t.test(`work on ${unit} said again and again grows with the text`, async (t) => {
    const make = (length: number): object => ({
      env: Array.from({ length: 64 }, () => entry('B', unit.repeat(length / unit.length)))
    })

    const growth = growthOf(1000, make, readEnvironment)

    t.ok(growth < MOST_GROWTH, `${growth} times the work for four times the text`)
  })
}

t.test('a text of 3 MiB of beginnings is not looked through', async (t) => {
  t.match(last(entry('A', '$('.repeat(1_500_000))), { kind: 'field', from: 'references that grow too long' })
})

t.test('entries without a name are passed over', async (t) => {
  t.strictSame(readEnvironment({ env: [null, {}, { name: 7 }] }), [])
  t.strictSame(readEnvironment(undefined), [])
})
