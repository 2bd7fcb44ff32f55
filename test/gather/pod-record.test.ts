import t from 'tap'
import { readPodRecord } from '../../src/gather/pod-record.ts'
import { readServiceRecord } from '../../src/gather/service-record.ts'
import { aPod } from '../build/pod.ts'

const bornAt = '2026-11-20T12:00:00Z'

t.test('a pod with a GPU is kept as it would come to the webhook, without its node', async (t) => {
  const record = readPodRecord({
    ...aPod({ nodeName: 'node-1', annotations: { 'rightslice.dev/pin': 'whole-gpu', 'other/note': 'x' } }),
    status: { phase: 'Running', startTime: bornAt }
  })

  t.match(record, {
    namespace: 'team-a',
    name: 'app-0',
    node: 'node-1',
    phase: 'Running',
    startedMs: Date.parse(bornAt),
    endedMs: undefined,
    images: { main: 'registry.example/app:1' },
    endings: []
  })
  t.equal(record?.view.nodeName, undefined)
  t.strictSame(record?.view.annotations, { 'rightslice.dev/pin': 'whole-gpu' })
})

t.test('what has nothing to do with GPUs takes no memory', async (t) => {
  t.equal(readPodRecord(aPod({ containers: [{ limits: { cpu: '1' } }] })), undefined)
  t.equal(readPodRecord({ metadata: {} }), undefined)
  t.equal(readPodRecord(undefined), undefined)
})

t.test('command and variables are kept of GPU containers alone', async (t) => {
  const record = readPodRecord(
    aPod({
      containers: [
        { name: 'gpu', args: ['--a'], env: { A: '1' } },
        { name: 'side', limits: {}, args: ['--secret'], env: { B: '2' } }
      ]
    })
  )

  t.match(record?.view.containers, [
    { name: 'gpu', words: ['--a'], env: { A: '1' } },
    { name: 'side', words: [], env: {} }
  ])
})

t.test('ends of containers, the last ones too', async (t) => {
  const terminated = { exitCode: 1, reason: 'Error', message: 'CUDA out of memory', finishedAt: bornAt }
  const record = readPodRecord({
    ...aPod(),
    status: {
      phase: 'Running',
      initContainerStatuses: [{ name: 'init', state: { terminated: { exitCode: 0 } } }],
      containerStatuses: [
        { name: 'main', state: { running: {} }, lastState: { terminated } },
        { name: 'odd', state: { terminated: {} } }
      ]
    }
  })

  t.strictSame(record?.endings, [
    { container: 'init', exitCode: 0, reason: '', message: '', finishedMs: undefined },
    {
      container: 'main',
      exitCode: 1,
      reason: 'Error',
      message: 'CUDA out of memory',
      finishedMs: Date.parse(bornAt)
    }
  ])
})

t.test('a pod that is done ended with its last container', async (t) => {
  const ended = (containerStatuses: readonly unknown[]): number | undefined =>
    readPodRecord({ ...aPod(), status: { phase: 'Succeeded', containerStatuses } })?.endedMs

  t.equal(
    ended([{ name: 'main', state: { terminated: { exitCode: 0, finishedAt: bornAt } } }]),
    Date.parse(bornAt)
  )
  t.equal(ended([]), 0)
})

t.test('a dcgm-exporter is kept with what it takes to find it', async (t) => {
  const record = readPodRecord({
    metadata: { name: 'dcgm-1', namespace: 'gpu-operator', labels: { app: 'nvidia-dcgm-exporter' } },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'exporter', ports: [{ name: 'metrics', containerPort: 9400 }, { name: 'none' }] }]
    },
    status: { podIP: '10.0.0.7', conditions: [{ type: 'Ready', status: 'True' }] }
  })

  t.strictSame(record?.exporter, {
    labels: record?.exporter?.labels,
    node: 'node-1',
    podIp: '10.0.0.7',
    ready: true,
    ports: [{ name: 'metrics', port: 9400 }]
  })
})

t.test('a service with its labels and ports', async (t) => {
  const raw = {
    metadata: { name: 'prometheus', namespace: 'monitoring', labels: { app: 'prometheus' } },
    spec: { ports: [{ name: 'web', port: 9090 }, { name: 'odd' }] }
  }
  const service = readServiceRecord(raw)

  t.match(service, {
    namespace: 'monitoring',
    name: 'prometheus',
    labels: { app: 'prometheus' },
    ports: [{ name: 'web', port: 9090 }]
  })
  t.equal(readServiceRecord({}), undefined)
})

t.test('by what the next pod would step around a share is kept, and nothing more of it', async (t) => {
  const debugging = { name: 'debug', securityContext: { privileged: true } }
  const volumes = [{ name: 'host', hostPath: { path: '/srv/secret' } }]

  const honest = readPodRecord(aPod({ spec: { volumes, ephemeralContainers: [debugging] } }))
  const other = readPodRecord(aPod({ name: 'other' }))
  const bad = readPodRecord(aPod({ spec: { volumes, hostPID: true, hostIPC: true } }))

  t.strictSame(honest?.defeats, [], 'a container for debugging does not come again')
  t.equal(honest?.defeats, other?.defeats, 'one list for all that break nothing')
  t.match(bad?.defeats, [
    { rule: 'HostPidWithGpu', onlyShared: false },
    { rule: 'HostIpcWithSharedGpu', onlyShared: true }
  ])
  t.notMatch(JSON.stringify(bad), 'secret')
})

t.test('a pod of a snapshot file tells it by codes', async (t) => {
  const breaks = [{ rule: 'PrivilegedWithGpu', onlyShared: false }, { rule: 'toString' }, null]

  t.match(readPodRecord({ ...aPod(), breaks })?.defeats, [
    {
      rule: 'PrivilegedWithGpu',
      onlyShared: false,
      sentence: /^\[PrivilegedWithGpu\] A container of a GPU pod/
    }
  ])
  t.equal(readPodRecord({ ...aPod(), breaks })?.defeats.length, 1)
})
