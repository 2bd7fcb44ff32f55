import t from 'tap'
import { applyByHand } from './apply-by-hand.ts'
import { checkPatch } from './patch-laws.ts'

const MARK = '/metadata/annotations/rightslice.dev~1decision'
const body = JSON.stringify({ request: { object: { metadata: { annotations: { a: 'b' } } } } })

function answerWith(...patch: readonly unknown[]): unknown {
  return {
    response: { patch: Buffer.from(JSON.stringify(patch)).toString('base64'), patchType: 'JSONPatch' }
  }
}

t.test('a patch that applies gives the pod', async (t) => {
  t.strictSame(checkPatch(body, answerWith({ op: 'add', path: MARK, value: 'x' })), {
    broken: [],
    pod: { metadata: { annotations: { a: 'b', 'rightslice.dev/decision': 'x' } } }
  })
})

for (const { name, operation, says } of [
  { name: 'removes what is not there', operation: { op: 'remove', path: MARK }, says: /the patch applies/ },
  {
    name: 'adds below what is not there',
    operation: { op: 'add', path: '/metadata/labels/rightslice.dev~1slice', value: 'x' },
    says: /the patch applies/
  },
  {
    name: 'touches an image',
    operation: { op: 'add', path: '/spec/containers/0/image', value: 'x' },
    says: /touches \/spec\/containers\/0\/image/
  },
  { name: 'tests', operation: { op: 'test', path: MARK, value: 'x' }, says: /additions and removals/ },
  { name: 'adds nothing', operation: { op: 'add', path: MARK }, says: /additions and removals/ }
])
  t.test(`a patch that ${name} breaks a law`, async (t) => {
    t.match(checkPatch(body, answerWith(operation)).broken.join('; '), says)
  })

t.test('by hand a list is entered by its index alone', async (t) => {
  const pod = () => ({ list: [{ a: 1 }] })

  t.strictSame(applyByHand(pod(), [{ op: 'add', path: '/list/0/b', value: 2 }]), { list: [{ a: 1, b: 2 }] })
  for (const path of ['/list/00/b', '/list/-/b', '/list/1/b', '/list/length/b', 'list', ''])
    t.throws(() => applyByHand(pod(), [{ op: 'add', path, value: 2 }]), path)
})
