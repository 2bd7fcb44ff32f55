import t from 'tap'
import { allowReview, ReviewRequest, readEnvelope } from '../../src/server/review.ts'
import { aRequest, aReview } from './some-webhook.ts'

t.test('a review of version v1 with a uid can be read', async (t) => {
  const read = readEnvelope(aReview())

  t.match(read, { kind: 'readable', uid: 'uid-1' })
})

const unreadable: readonly { readonly name: string; readonly body: unknown; readonly says: RegExp }[] = [
  { name: 'nothing', body: undefined, says: /body/ },
  { name: 'null', body: null, says: /body/ },
  { name: 'a list', body: [], says: /body/ },
  { name: 'text', body: 'AdmissionReview', says: /body/ },
  { name: 'v1beta1', body: { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' }, says: /apiVersion/ },
  { name: 'another kind', body: { ...aReview(), kind: 'TokenReview' }, says: /kind/ },
  { name: 'no request', body: { ...aReview(), request: undefined }, says: /request/ },
  { name: 'no uid', body: aReview({ uid: undefined }), says: /request\.uid/ },
  { name: 'an empty uid', body: aReview({ uid: '' }), says: /request\.uid/ },
  { name: 'a uid that is no text', body: aReview({ uid: 7 }), says: /request\.uid/ },
  { name: 'a uid without end', body: aReview({ uid: 'x'.repeat(254) }), says: /request\.uid/ }
]

for (const { name, body, says } of unreadable) {
  t.test(`${name} is no review, and the field is named`, async (t) => {
    const read = readEnvelope(body)

    t.match(read, { kind: 'unreadable', message: says })
    t.match(read, { message: /^not an AdmissionReview of admission\.k8s\.io\/v1: / })
  })
}

t.test('objects are passed on as they came', async (t) => {
  const request = aRequest()

  const read = ReviewRequest.parse(request)

  t.equal(read.object, request.object)
})

t.test('what the sender leaves out is filled in', async (t) => {
  const read = ReviewRequest.parse({ uid: 'a', operation: 'CREATE' })

  t.strictSame(read, { uid: 'a', operation: 'CREATE', namespace: '', subResource: '' })
})

const told = { uid: 'u', warnings: [], auditAnnotations: { reason: 'NoHistory' } }

t.test('patch+patchType pair: a patch comes with its type', async (t) => {
  const { response } = allowReview({ ...told, patch: [{ op: 'remove', path: '/a' }] })

  t.equal(response.patchType, 'JSONPatch')
  t.equal(Buffer.from(response.patch ?? '', 'base64').toString(), '[{"op":"remove","path":"/a"}]')
})

t.test('without operations there is neither patch nor type, without warnings no list of them', async (t) => {
  t.strictSame(allowReview({ ...told, patch: [] }), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true, auditAnnotations: { reason: 'NoHistory' } }
  })
})
