import t from 'tap'
import { templateKeyOf } from '../../../src/core/pod/template-key.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app-1', uid: 'rs-1' }

for (const { name, labels = {}, owned = true, want } of [
  { name: 'the hash of a ReplicaSet', labels: { 'pod-template-hash': '6c9d' }, want: '6c9d' },
  { name: 'the revision of a StatefulSet', labels: { 'controller-revision-hash': 'db-7' }, want: 'db-7' },
  { name: 'a label without a value', labels: { 'pod-template-hash': '' }, want: 'rs-1' },
  { name: 'an owner without labels', want: 'rs-1' },
  { name: 'a bare pod', owned: false, want: 'uid-1' }
]) {
  t.test(`[RULE45] ${name}`, async (t) => {
    t.equal(templateKeyOf({ labels, owner: owned ? owner : undefined }, 'uid-1'), want)
  })
}
