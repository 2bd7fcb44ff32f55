import t from 'tap'
import { AppError } from '../../../src/core/errors.ts'
import { type SweepResult, sweepCluster } from '../../../src/gather/sweep/sweep-cluster.ts'
import { sweptNamespaces } from '../../../src/gather/sweep/sweep-scope.ts'
import { aHostVolume, aMountingPod, aSweepScope } from '../../build/sweep.ts'
import { MemoryPages } from '../../fakes/memory-pages.ts'

const never = new AbortController().signal
const devices = { hostPath: { path: '/dev' } }
const honest = { emptyDir: {} }
const claim = (claimName: string) => ({ persistentVolumeClaim: { claimName } })
const refusal = new AppError('KUBE_REFUSED', 'made to fail')

function shown({ namespaces, faults }: SweepResult): readonly string[] {
  return [
    ...namespaces.map(({ namespace, isWhole, podCount, findings }) =>
      [
        `${namespace}: ${podCount}${isWhole ? '' : ', in part'}`,
        ...findings.map(
          ({ pods, violations }) => `${pods[0]?.name} ${violations.map(({ rule }) => rule).join()}`
        )
      ].join('; ')
    ),
    ...faults.map(({ what, namespace = '-', error }) => `${what} ${namespace} ${error.code}`)
  ]
}

t.test('[RULE41] every pod that runs in the namespaces is judged, page by page', async (t) => {
  const pods = [
    aMountingPod('team-a', 'bad', devices),
    aMountingPod('team-a', 'good', honest),
    aMountingPod('team-a', 'also-bad', devices),
    { ...aMountingPod('team-a', 'done', devices), status: { phase: 'Succeeded' } },
    aMountingPod('team-c', 'told', devices),
    aMountingPod('other', 'out', devices)
  ]
  const reader = new MemoryPages({ pods })

  const result = await sweepCluster(reader, aSweepScope(), never)

  t.strictSame(shown(result), [
    'team-a: 3; also-bad HostDevicePath; bad HostDevicePath',
    'team-b: 0',
    'team-c: 1; told HostDevicePath'
  ])
  t.strictSame(
    result.namespaces.flatMap(({ counts }) => counts.map(({ level }) => level)),
    ['enforce', 'warn']
  )
  t.strictSame(reader.asked, ['pods team-a', 'pods team-b', 'pods team-c'], 'no volumes without a claim')
})

t.test('[RULE43] volumes are read once, and a claim leads only to what is bound to it', async (t) => {
  const pods = [
    aMountingPod('team-a', 'bad', claim('dev')),
    aMountingPod('team-a', 'good', claim('disk')),
    aMountingPod('team-b', 'same-name', claim('dev'))
  ]
  const persistentvolumes = [aHostVolume('team-a', 'dev', '/dev'), aHostVolume('team-a', 'disk', '/mnt/disk')]
  const reader = new MemoryPages({ pods, persistentvolumes })

  t.strictSame(shown(await sweepCluster(reader, aSweepScope(), never)), [
    'team-a: 2; bad HostDevicePath',
    'team-b: 1',
    'team-c: 0'
  ])
  t.strictSame(reader.asked, ['pods team-a', 'persistentvolumes', 'pods team-b', 'pods team-c'])
})

t.test('volumes that may not be read leave the namespaces that use claims in part', async (t) => {
  const pods = [aMountingPod('team-a', 'some', claim('dev')), aMountingPod('team-b', 'bad', devices)]
  const reader = new MemoryPages({ pods })
  reader.before = ({ kind }) => {
    if (kind === 'persistentvolumes') throw refusal
  }

  t.strictSame(shown(await sweepCluster(reader, aSweepScope(), never)), [
    'team-a: 1, in part',
    'team-b: 1; bad HostDevicePath',
    'team-c: 0',
    'persistentvolumes - KUBE_REFUSED'
  ])
})

t.test('a namespace that may not be read is a fault, and the others are read', async (t) => {
  const reader = new MemoryPages({ pods: [aMountingPod('team-b', 'bad', devices)] })
  reader.before = ({ namespace }) => {
    if (namespace === 'team-a') throw refusal
  }

  t.strictSame(shown(await sweepCluster(reader, aSweepScope(), never)), [
    'team-b: 1; bad HostDevicePath',
    'team-c: 0',
    'pods team-a KUBE_REFUSED'
  ])
})

t.test('a cluster that cannot be reached is not asked again and again', async (t) => {
  const reader = new MemoryPages({})
  reader.before = () => {
    throw new AppError('KUBE_UNREACHABLE', 'made to fail')
  }

  t.strictSame(shown(await sweepCluster(reader, aSweepScope(), never)), ['pods team-a KUBE_UNREACHABLE'])
  t.equal(reader.asked.length, 1)
})

t.test('a signal ends it, and faults of our own are not hidden', async (t) => {
  const reader = new MemoryPages({})
  reader.before = () => {
    throw new TypeError('a bug')
  }

  await t.rejects(sweepCluster(reader, aSweepScope(), AbortSignal.abort(new Error('stopped'))), /stopped/)
  await t.rejects(sweepCluster(reader, aSweepScope(), never), /a bug/)
})

t.test('namespaces are looked at that opted in and are none of the system', async (t) => {
  const named = (name: string, value: string) => ({ name, labels: { 'rightslice.dev/rightsize': value } })
  const all = [named('b', 'warn'), named('kube-system', 'enforce'), named('c', 'off'), named('a', 'enforce')]

  t.strictSame(
    sweptNamespaces(all, { systemNamespaces: ['kube-*'] }).map(({ name }) => name),
    ['a', 'b']
  )
})
