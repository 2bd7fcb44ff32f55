import t from 'tap'
import { acceptOf, keyOfMetadata, narrowing } from '../../src/kube/watched-resource.ts'

t.test('reads the key from metadata', async (t) => {
  t.strictSame(keyOfMetadata({ metadata: { name: 'a', namespace: 'ml' } }), { namespace: 'ml', name: 'a' })
  t.strictSame(keyOfMetadata({ metadata: { name: 'a' } }), { namespace: '', name: 'a' })
  for (const raw of [undefined, {}, { metadata: {} }, { metadata: { name: 5 } }])
    t.equal(keyOfMetadata(raw), undefined)
})

t.test('asks for metadata of a list and of single objects under different names', async (t) => {
  t.equal(acceptOf(false, 'list'), 'application/json')
  t.equal(acceptOf(false, 'watch'), 'application/json')
  t.equal(acceptOf(true, 'list'), 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')
  t.equal(acceptOf(true, 'watch'), 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')
})

t.test('narrows by name, fields and labels', async (t) => {
  const of = { path: '/x', kind: 'X' }
  t.strictSame(narrowing(of), {})
  t.strictSame(narrowing({ ...of, objectName: 'a', fieldSelector: 'b=c' }), {
    fieldSelector: 'metadata.name=a'
  })
  t.strictSame(narrowing({ ...of, fieldSelector: 'b=c', labelSelector: 'd' }), {
    fieldSelector: 'b=c',
    labelSelector: 'd'
  })
})
