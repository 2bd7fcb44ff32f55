import t from 'tap'
import { gatherSubjects } from '../../../src/controllers/workloads/subject.ts'
import type { WorkloadObject } from '../../../src/controllers/workloads/workload-object.ts'
import { aPodRecord } from '../rig.ts'

const nothing = { histories: [], bounds: [], notes: [] }
const ownerOf = (): undefined => undefined
const app = { kind: 'Deployment', name: 'app' }

function anObject(name: string): WorkloadObject {
  return { namespace: 'team-a', name, generation: 1, workload: app, apiVersion: undefined, status: undefined }
}

t.test('everything about one workload comes together, the newest pod first', async (t) => {
  const pods = [
    aPodRecord({ name: 'old', ageMs: 2000 }),
    aPodRecord({ name: 'new', ageMs: 1000 }),
    aPodRecord({ name: 'done', status: { phase: 'Succeeded' } })
  ]
  const bound = {
    namespace: 'team-a',
    workload: app,
    container: 'main',
    pod: 'old',
    atMostMiB: 1,
    atMs: 1,
    basis: 'series' as const,
    days: 1
  }

  const subjects = gatherSubjects({
    pods,
    ownerOf,
    attribution: { ...nothing, bounds: [bound] },
    objects: [anObject('b'), anObject('a')]
  })

  t.equal(subjects.length, 1)
  t.match(subjects[0], {
    key: 'team-a/Deployment/app',
    pods: [{ name: 'new' }, { name: 'old' }],
    ended: [{ name: 'done' }],
    object: { name: 'a' },
    duplicates: [{ name: 'b' }],
    bounds: [bound]
  })
})

t.test('a pod that ended is no subject by itself', async (t) => {
  const pods = [aPodRecord({ status: { phase: 'Failed' } })]

  t.strictSame(gatherSubjects({ pods, ownerOf, attribution: nothing, objects: [] }), [])
})

t.test('the order of what comes in does not matter', async (t) => {
  const pods = ['c', 'a', 'b'].map((name) =>
    aPodRecord({ name, owner: { kind: 'StatefulSet', name, uid: name }, labels: {} })
  )
  const keys = (given: typeof pods) =>
    gatherSubjects({ pods: given, ownerOf, attribution: nothing, objects: [] }).map(({ key }) => key)

  t.strictSame(keys(pods), ['team-a/StatefulSet/a', 'team-a/StatefulSet/b', 'team-a/StatefulSet/c'])
  t.strictSame(keys(pods.toReversed()), keys(pods))
})
