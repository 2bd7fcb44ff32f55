import t from 'tap'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { replicaGroupOf } from '../../../src/core/pod/replica-group.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'

function groupOf(spec: PodSpec): string | undefined {
  return replicaGroupOf(readPod(aPod(spec), 'team-a'))
}

const replicaSet = { kind: 'ReplicaSet', name: 'llm-5d8c' }
const statefulSet = { ...replicaSet, kind: 'StatefulSet', name: 'llm' }

t.test('pods of one ReplicaSet are of one group, those of another are not', async (t) => {
  const one = groupOf({ name: 'llm-5d8c-a', owner: replicaSet })

  t.equal(groupOf({ name: 'llm-5d8c-b', owner: replicaSet }), one)
  t.not(groupOf({ owner: { ...replicaSet, name: 'llm-77f9' } }), one)
  t.type(one, 'string')
})

t.test('pods of one StatefulSet are told apart by the revision of its template', async (t) => {
  const of = (revision: string): string | undefined =>
    groupOf({ owner: statefulSet, labels: { 'controller-revision-hash': revision } })

  t.equal(of('llm-1'), of('llm-1'))
  t.not(of('llm-1'), of('llm-2'))
})

t.test('pods of one owner with different roles are of different groups', async (t) => {
  const of = (group: string): string | undefined =>
    groupOf({
      owner: { ...replicaSet, kind: 'RayCluster', name: 'r' },
      labels: { 'ray.io/cluster': 'r', 'ray.io/group': group }
    })

  t.not(of('small'), of('large'))
})

t.test('a pod that nobody makes anew has no group', async (t) => {
  t.equal(groupOf({}), undefined)
})
