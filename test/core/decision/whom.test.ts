import t from 'tap'
import { reasons } from '../../../src/core/api/reasons.ts'
import { decide } from '../../../src/core/decision/decide.ts'
import { listOf } from '../../../src/core/json.ts'
import { enforcementOf } from '../../../src/core/policy/enforcement.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aPod, type ContainerSpec, type PodSpec } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { someLimits } from '../../build/quota.ts'

const gpu = { 'nvidia.com/gpu': '1' }
const inField = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }

const outside: readonly { name: string; input: InputSpec; want: string; says?: string }[] = [
  { name: '[DEC3] an update', input: { operation: 'UPDATE' }, want: 'NotAPodCreation', says: 'UPDATE pods' },
  { name: '[DEC3] a subresource', input: { subResource: 'resize' }, want: 'NotAPodCreation', says: 'resize' },
  { name: '[DEC3] no operation at all', input: { operation: '' }, want: 'NotAPodCreation' },
  {
    name: '[DEC4] a mirror pod',
    input: { pod: aPod({ annotations: { 'kubernetes.io/config.mirror': 'x' } }) },
    want: 'MirrorPod'
  },
  { name: '[DEC5] a system namespace', input: { namespace: 'kube-system' }, want: 'SystemNamespace' },
  {
    name: '[DEC5] a system namespace by its beginning',
    input: { namespace: 'openshift-dns', settings: { systemNamespaces: ['openshift-*'] } },
    want: 'SystemNamespace'
  },
  ...['off', 'Enforce', 'true', ''].map((value) => ({
    name: `[DEC6] a namespace labelled "${value}"`,
    input: { namespaceLabels: { 'rightslice.dev/rightsize': value } },
    want: 'NamespaceNotOptedIn'
  })),
  {
    name: '[DEC7] a pod without a GPU',
    input: { pod: aPod({ containers: [{ limits: { cpu: '1' } }] }) },
    want: 'NoGpuRequest'
  },
  {
    name: '[DEC7] a pod that asks for zero GPUs',
    input: { pod: aPod({ containers: [{ limits: { 'nvidia.com/gpu': '0' } }] }) },
    want: 'NoGpuRequest'
  },
  {
    name: '[DEC7] a pod with resourceClaims',
    input: { pod: aPod({ resourceClaims: [{ name: 'gpu' }] }) },
    want: 'UsesResourceClaim'
  },
  {
    name: '[DEC7] a container with a claim',
    input: { pod: aPod({ containers: [{ claims: [{ name: 'gpu' }] }] }) },
    want: 'UsesResourceClaim'
  },
  ...['nvidia.com/gpumem', 'volcano.sh/vgpu-number', 'amd.com/gpu', 'nvidia.com/unheard-of'].map(
    (resource) => ({
      name: `[DEC8] a container that asks for ${resource}`,
      input: { pod: aPod({ containers: [{ limits: { ...gpu, [resource]: '1' } }] }) },
      want: 'ForeignGpuResource',
      says: resource
    })
  ),
  ...[{ limits: { 'nvidia.com/gpu': '500m' } }, { limits: gpu, requests: { 'nvidia.com/gpu': '2' } }].map(
    (container, index) => ({
      name: `[DEC8] a request that the API server refuses, such as requests≠limits (${index})`,
      input: { pod: aPod({ containers: [container] }) },
      want: 'GpuRequestInvalid',
      says: 'nvidia.com/gpu'
    })
  ),
  {
    name: '[DEC8] a request without a limit',
    input: { pod: aPod({ containers: [{ limits: {}, requests: gpu }] }) },
    want: 'GpuRequestInvalid'
  },
  ...['nvidia.com/mig-1g.10gb', 'nvidia.com/gpu.shared', 'nvidia.com/mig-1g.10gb.shared'].map((resource) => ({
    name: `[DEC8] a container that asks for ${resource}`,
    input: { pod: aPod({ containers: [{}, { name: 'second', limits: { [resource]: '1' } }] }) },
    want: 'AlreadyASlice',
    says: `container second asks for ${resource}`
  }))
]

for (const { name, input, want, says } of outside) {
  t.test(`${name} is none of our business`, async (t) => {
    const decision = decide(anInput(input))

    t.equal(decision.kind, 'keep')
    t.equal(decision.reason, want)
    t.ok(decision.sentence.includes(says ?? ''), decision.sentence)
    t.equal(decision.evidence.policy, undefined)
    t.equal(decision.kind === 'keep' && decision.marks, reasons[decision.reason].marks)
  })
}

const keepers: readonly { name: string; pod: PodSpec; want: string; says?: string }[] = [
  {
    name: '[DEC9] count > 1 in one container',
    pod: { containers: [{}, { name: 'big', limits: { 'nvidia.com/gpu': 2 } }] },
    want: 'MultiGpuRequest',
    says: 'container big asks for 2 GPUs'
  },
  {
    name: '[DEC10] another scheduler',
    pod: { schedulerName: 'volcano' },
    want: 'ManagedByOtherScheduler',
    says: 'volcano'
  },
  ...[
    ['gpu-fraction', 'KAI'],
    ['gpu-memory', 'KAI'],
    ['kai.scheduler/queue', 'KAI'],
    ['run.ai/project', 'Run:ai'],
    ['runai-job-id', 'Run:ai'],
    ['hami.io/node', 'HAMi'],
    ['hami.io/webhook', 'HAMi'],
    ['nvidia.com/use-gputype', 'HAMi'],
    ['nvidia.com/vgpu-mode', 'HAMi'],
    ['nos.nebuly.com/gpu-partitioning', 'nos'],
    ['gpu-fraction-num-devices', 'KAI'],
    ['pod-group-name', 'KAI'],
    ['volcano.sh/queue-name', 'Volcano'],
    ['scheduling.k8s.io/group-name', 'Volcano'],
    ['yunikorn.apache.org/task-group-name', 'YuniKorn'],
    ['yunikorn.apache.org/app-id', 'YuniKorn'],
    ['scheduling.x-k8s.io/pod-group', 'coscheduling'],
    ['pod-group.scheduling.sigs.k8s.io/name', 'coscheduling'],
    ['gang.scheduling.koordinator.sh/name', 'Koordinator'],
    ['scheduling.volcano.sh/group', 'Volcano']
  ].flatMap(([mark = '', system = '']) =>
    (['labels', 'annotations'] as const).map((where) => ({
      name: `[DEC10] Volcano/KAI/HAMi skip: ${mark} among the ${where}`,
      pod: { [where]: { [mark]: '1' } },
      want: 'ManagedByOtherScheduler',
      says: `${mark} marks a pod of ${system}`
    }))
  ),
  ...(['labels', 'annotations'] as const).map((where) => ({
    name: `[DEC11] Kueue skip: a mark among the ${where}`,
    pod: { [where]: { 'kueue.x-k8s.io/workload': 'a', 'kueue.x-k8s.io/queue-name': 'b' } },
    want: 'QueuedByKueue',
    says: 'kueue.x-k8s.io/queue-name'
  })),
  {
    name: '[DEC11] Kueue skip: a gate',
    pod: { schedulingGates: ['kueue.x-k8s.io/admission'] },
    want: 'QueuedByKueue'
  },
  ...[
    'training.kubeflow.org/job-name',
    'training.kubeflow.org/replica-type',
    'trainer.kubeflow.org/trainjob-ancestor-step',
    'pytorch-job-name',
    'tf-job-name',
    'mpi-job-name',
    'mpi_job_name',
    'jobset.sigs.k8s.io/jobset-name',
    'leaderworkerset.sigs.k8s.io/name'
  ].map((label) => ({
    name: `[DEC12] label ${label}`,
    pod: { labels: { [label]: 'x' } },
    want: 'MultiPodJob',
    says: label
  })),
  ...(['labels', 'annotations'] as const).map((where) => ({
    name: `[DEC12] a pod of an indexed Job with a headless Service, by its ${where}`,
    pod: { [where]: { 'batch.kubernetes.io/job-completion-index': '0' }, spec: { subdomain: 'train' } },
    want: 'MultiPodJob',
    says: 'finds the others by the name train'
  })),
  ...[{ schedulingGroup: { podGroupName: 'ranks' } }, { workloadRef: { name: 'ranks', podGroup: 'w' } }].map(
    (spec) => ({
      name: `[DEC12] a pod of a group that is placed together: ${JSON.stringify(spec)}`,
      pod: { spec },
      want: 'MultiPodJob',
      says: 'group ranks'
    })
  ),
  {
    name: '[DEC12] fast network devices',
    pod: { containers: [{ limits: { ...gpu, 'rdma/b': '1', 'rdma/a': '1' } }] },
    want: 'MultiPodJob',
    says: 'rdma/a'
  },
  ...(
    [
      [{ command: ['torchrun', '--nnodes=2', 'train.py'] }, '--nnodes=2'],
      [{ command: ['torchrun'], args: ['--nnodes', '16', 'train.py'] }, '--nnodes=16'],
      [{ args: ['--nnodes=1:4'] }, '--nnodes=1:4'],
      [{ args: ['--nnodes', '2:2'] }, '--nnodes=2:2'],
      [{ command: ['sh', '-c', 'exec torchrun --nnodes="3" train.py'] }, '--nnodes=3'],
      [{ args: ['--num_nodes', '4'] }, '--num_nodes=4'],
      [{ args: ['--num-machines=2'] }, '--num-machines=2'],
      [{ env: { NNODES: '2' } }, 'NNODES=2'],
      [{ env: { NUM_PROCESSES: '4' } }, 'NUM_PROCESSES=4'],
      [{ env: { JAX_NUM_PROCESSES: '4' } }, 'JAX_NUM_PROCESSES=4'],
      [{ env: { WORLD_SIZE: '8' } }, 'WORLD_SIZE=8'],
      [{ env: { PET_NNODES: '2' } }, 'PET_NNODES=2'],
      [{ env: { PET_NNODES: '1:4' } }, 'PET_NNODES=1:4']
    ] as const
  ).map(([container, setting]) => ({
    name: `[DEC12] a container with ${JSON.stringify(container)}`,
    pod: { containers: [container] },
    want: 'MultiPodJob',
    says: `container main has ${setting}, as ranks of a job do`
  })),
  { name: '[DEC13] a kata runtime', pod: { runtimeClassName: 'kata-qemu' }, want: 'VirtualMachine' },
  {
    name: '[DEC13] a KubeVirt pod',
    pod: { labels: { 'kubevirt.io': 'virt-launcher' } },
    want: 'VirtualMachine'
  },
  { name: '[DEC14] nodeName', pod: { nodeName: 'node-1' }, want: 'PinnedToNode', says: 'node-1' },
  {
    name: '[DEC14] a DaemonSet pod',
    pod: { owner: { kind: 'DaemonSet', name: 'agent' } },
    want: 'PinnedToNode',
    says: 'agent'
  },
  {
    name: '[DEC14] node affinity by name',
    pod: { nodeTerms: [inField] },
    want: 'PinnedToNode',
    says: 'affinity'
  }
]

for (const { name, pod, want, says } of keepers) {
  t.test(`${name} keeps the whole GPU, whether or not a policy governs`, async (t) => {
    const governed = decide(anInput({ pod: aPod(pod) }))
    const alone = decide(anInput({ pod: aPod(pod), policies: [] }))

    t.equal(governed.reason, want)
    t.ok(governed.sentence.includes(says ?? ''), governed.sentence)
    t.equal(governed.kind === 'keep' && governed.marks, 'written')
    t.equal(governed.evidence.policy, 'standard')
    t.equal(alone.reason, want)
  })
}

t.test('[DEC12] an index alone, and a name among others alone, make no rank', async (t) => {
  const labels = { 'batch.kubernetes.io/job-completion-index': '3' }

  t.equal(decide(anInput({ pod: aPod({ labels }) })).kind, 'rewrite')
  t.equal(decide(anInput({ pod: aPod({ spec: { subdomain: 'web' } }) })).kind, 'rewrite')
})

t.test('[DEC11] a Job that Kueue holds keeps its pods whole, though they carry no mark', async (t) => {
  const pod = aPod({ owner: { kind: 'Job', name: 'train' } })

  const { reason, sentence } = decide(anInput({ pod, ownerMark: 'kueue.x-k8s.io/queue-name' }))

  t.strictSame([reason, sentence], ['QueuedByKueue', 'Job train carries kueue.x-k8s.io/queue-name'])
})

const queued = aPod({
  labels: { 'kueue.x-k8s.io/queue-name': 'a' },
  schedulingGates: ['kueue.x-k8s.io/admission']
})
const rewriting = [aPolicy({ admission: { queued: 'Rewrite' } })]

t.test('[QUOTA12] a policy may have queued pods rewritten', async (t) => {
  t.equal(decide(anInput({ pod: queued, policies: rewriting })).reason, 'FitsMigProfile')
  t.equal(
    decide(anInput({ pod: queued, policies: [aPolicy({ admission: { queued: 'KeepWholeGpu' } })] })).reason,
    'QueuedByKueue'
  )
})

t.test('[QUOTA12] ranks of a queued job stay whole under every policy', async (t) => {
  const labels = { 'kueue.x-k8s.io/queue-name': 'a', 'jobset.sigs.k8s.io/jobset-name': 'b' }

  t.equal(decide(anInput({ pod: aPod({ labels }), policies: rewriting })).reason, 'MultiPodJob')
})

for (const { name, pod, ownerMark } of [
  { name: 'by its own mark', pod: queued, ownerMark: undefined },
  {
    name: "by its owner's",
    pod: aPod({ owner: { kind: 'Job', name: 'train' } }),
    ownerMark: 'kueue.x-k8s.io/queue-name'
  }
]) {
  t.test(
    `[QUOTA12] a quota that may run out between the pods of a queued workload has no room, ${name}`,
    async (t) => {
      const limits = someLimits({ quotas: [{ counts: { 'requests.nvidia.com/mig-1g.10gb': ['100', '0'] } }] })
      const mark = ownerMark === undefined ? {} : { ownerMark }

      const { reason, sentence } = decide(anInput({ pod, policies: rewriting, limits, ...mark }))

      t.equal(reason, 'QuotaWouldBlock')
      t.match(sentence, /all pods of a queued workload get the same/)
    }
  )
}

t.test('a pod that nothing of this applies to is rewritten', async (t) => {
  const pod = aPod({
    runtimeClassName: 'nvidia',
    nodeTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }],
    owner: { kind: 'StatefulSet', name: 'app' }
  })

  t.equal(decide(anInput({ pod })).reason, 'FitsMigProfile')
})

const alone: readonly ContainerSpec[] = [
  { command: ['torchrun', '--nnodes=1', 'train.py'] },
  { args: ['--nnodes', '1', '8'] },
  { args: ['--nnodes=1:1'] },
  { args: ['--nnodes=01'] },
  { args: ['--nnodes=$(NNODES)'] },
  { args: ['--nnodes-file=2'] },
  { args: ['--max--nnodes=2'] },
  { args: ['--num_nodes_file=2'] },
  { args: ['--num_machines', '1'] },
  { env: { WORLD_SIZE: '1', PET_NNODES: '1' } },
  { env: { WORLD_SIZE: 'two', PET_NNODES: '' } },
  { env: { MY_WORLD_SIZE: '4' } }
]

for (const container of alone) {
  t.test(`[DEC12] ${JSON.stringify(container)} is no rank of a job`, async (t) => {
    t.equal(decide(anInput({ pod: aPod({ containers: [container] }) })).reason, 'FitsMigProfile')
  })
}

t.test('[DEC12] what a container without a GPU says of ranks does not count', async (t) => {
  const logger = { name: 'logger', limits: {}, args: ['--nnodes=2'], env: { WORLD_SIZE: '4' } }

  t.equal(decide(anInput({ pod: aPod({ containers: [{}, logger] }) })).reason, 'FitsMigProfile')
})

t.test('gates of somebody else are no obstacle', async (t) => {
  const pod = aPod({ schedulingGates: ['example.com/wait'] })

  t.equal(decide(anInput({ pod })).reason, 'FitsMigProfile')
})

t.test('a container without any resources is no obstacle', async (t) => {
  const [main] = listOf(aPod().spec, 'containers')
  const pod = aPod({ spec: { containers: [{ name: 'proxy', image: 'registry.example/proxy:1' }, main] } })

  t.equal(decide(anInput({ pod })).reason, 'FitsMigProfile')
})

t.test('[DEC10] schedulers that the installation allows are no obstacle, and neither is none', async (t) => {
  const settings = { schedulers: ['default-scheduler', 'bin-packer'] }
  const unnamed = aPod({ spec: { schedulerName: undefined } })

  t.equal(decide(anInput({ pod: aPod({ schedulerName: 'bin-packer' }), settings })).kind, 'rewrite')
  t.equal(decide(anInput({ pod: unnamed })).kind, 'rewrite')
})

t.test('the checks speak in the order of the rules', async (t) => {
  const everything: InputSpec = {
    operation: 'UPDATE',
    namespace: 'kube-system',
    namespaceLabels: { 'rightslice.dev/rightsize': 'off' },
    pod: aPod({ annotations: { 'kubernetes.io/config.mirror': 'x' }, containers: [{ limits: {} }] })
  }
  const steps: readonly [InputSpec, string][] = [
    [{ operation: 'CREATE' }, 'MirrorPod'],
    [{ pod: aPod({ containers: [{ limits: {} }] }) }, 'SystemNamespace'],
    [{ namespace: 'team-a' }, 'NamespaceNotOptedIn'],
    [{ namespaceLabels: {} }, 'NoGpuRequest']
  ]

  t.equal(decide(anInput(everything)).reason, 'NotAPodCreation')
  let input = everything
  for (const [change, want] of steps) {
    input = { ...input, ...change }
    t.equal(decide(anInput(input)).reason, want)
  }
})

t.test('requests are judged foreign first, then invalid, then share, then whole', async (t) => {
  const containers = [
    { name: 'two', limits: { 'nvidia.com/gpu': '2' } },
    { name: 'slice', limits: { 'nvidia.com/mig-1g.10gb': '1' } },
    { name: 'half', limits: { 'nvidia.com/gpu': '500m' } },
    { name: 'foreign', limits: { 'nvidia.com/gpumem': '100' } }
  ]
  const reasonWith = (count: number): string =>
    decide(anInput({ pod: aPod({ containers: containers.slice(0, count) }) })).reason

  t.strictSame([4, 3, 2, 1].map(reasonWith), [
    'ForeignGpuResource',
    'GpuRequestInvalid',
    'AlreadyASlice',
    'MultiGpuRequest'
  ])
})

t.test('reasons to keep a whole GPU are told in the order of the rules', async (t) => {
  const spec: PodSpec = {
    nodeName: 'node-1',
    runtimeClassName: 'kata',
    schedulerName: 'other',
    labels: { 'mpi-job-name': 'x', 'kueue.x-k8s.io/queue-name': 'q' },
    containers: [{ limits: { 'nvidia.com/gpu': '2' } }]
  }
  const steps: readonly [PodSpec, string][] = [
    [{}, 'MultiGpuRequest'],
    [{ containers: [{}] }, 'ManagedByOtherScheduler'],
    [{ schedulerName: 'default-scheduler' }, 'QueuedByKueue'],
    [{ labels: { 'mpi-job-name': 'x' } }, 'MultiPodJob'],
    [{ labels: {} }, 'VirtualMachine'],
    [{ runtimeClassName: 'runc' }, 'PinnedToNode']
  ]

  let pod = spec
  for (const [change, want] of steps) {
    pod = { ...pod, ...change }
    t.equal(decide(anInput({ pod: aPod(pod) })).reason, want)
  }
})

t.test('[DEC6] a label counts only when it is exactly warn or enforce', async (t) => {
  const words = ['warn', 'enforce', 'off', 'Warn', ' enforce', '']

  t.strictSame(
    words.map((word) => enforcementOf({ 'rightslice.dev/rightsize': word })),
    ['warn', 'enforce', 'off', 'off', 'off', 'off']
  )
  t.equal(enforcementOf({}), 'off')
})
