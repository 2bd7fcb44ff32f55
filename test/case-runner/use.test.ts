import t from 'tap'
import type { JsonRecord } from '../../src/core/json.ts'
import { judge } from './judge.ts'

const policy = { optIn: true, window: '14d', headroom: '20%', allowedProfiles: ['1g.10gb'] }
const used = 'DCGM_FI_DEV_FB_USED'

function sample(labels: JsonRecord, value: number | string): JsonRecord {
  return {
    labels: { __name__: used, gpu: '0', UUID: 'GPU-a', namespace: 'team-a', container: 'main', ...labels },
    value
  }
}

const slice = '1g.10gb'
const whole = { main: { 'nvidia.com/gpu': '1' } }
const rewritten = { main: { [`nvidia.com/mig-${slice}`]: '1' } }

interface Case {
  readonly name: string
  readonly input: JsonRecord
  readonly decision: string
  readonly check: JsonRecord
}

const cases: readonly Case[] = [
  {
    name: 'an exposition of a slice',
    input: {
      exposition: `# TYPE ${used} gauge\n${used}{gpu="0",UUID="GPU-a",modelName="NVIDIA A100-SXM4-80GB",GPU_I_PROFILE="${slice}",GPU_I_ID="9",Hostname="n1",container="main",namespace="team-b",pod="nb-0"} 5310`
    },
    decision: 'rewrite',
    check: { peakMiB: { 'team-b/nb-0': 5310, 'StatefulSet/nb': 5310 }, neededMiB: 6372, gpu: rewritten }
  },
  {
    name: 'values of processes',
    input: {
      series: [
        sample({ pod: 'p-1', pod_uid: 'u1', vgpu: '0' }, 4120),
        sample({ pod: 'q-1', pod_uid: 'u2', vgpu: '1' }, 7702)
      ]
    },
    decision: 'attribute',
    check: { peakMiB: { 'team-a/p-1': 4120, 'team-a/q-1': 7702 } }
  },
  {
    name: 'zeros beside the total of the device',
    input: {
      series: [
        sample({ pod: 'p-1', pod_uid: 'u1', vgpu: '0' }, 0),
        sample({ pod: 'p-2', pod_uid: 'u2', vgpu: '1' }, 0),
        { labels: { __name__: used, gpu: '0', UUID: 'GPU-a' }, value: 9000 }
      ]
    },
    decision: 'leave',
    check: { peakMiB: { 'StatefulSet/p': 'none' }, gpu: whole }
  },
  {
    name: 'owners from kube-state-metrics',
    input: {
      series: [
        sample({ pod: 'odd' }, 4000),
        `kube_pod_owner{namespace="team-a",pod="odd",owner_kind="ReplicaSet",owner_name="rs"} 1`,
        `kube_replicaset_owner{namespace="team-a",replicaset="rs",owner_kind="Deployment",owner_name="dep"} 1`
      ]
    },
    decision: 'rewrite',
    check: { peakMiB: { 'Deployment/dep': 4000 } }
  },
  {
    name: 'owners by name',
    input: { series: [sample({ pod: 'odd' }, 4000)], owners: { 'team-a/odd': 'Deployment/dep' } },
    decision: 'rewrite',
    check: { peakMiB: { 'team-a/Deployment/dep': 4000 } }
  },
  {
    name: 'a ratio with the memory of the node, and metrics that are only asked about',
    input: {
      series: [
        sample({ __name__: 'DCGM_FI_DEV_FB_USED_PERCENT', pod: 's-0' }, 0.05),
        sample({ __name__: 'DCGM_FI_DEV_GPU_UTIL', pod: 's-0' }, 31),
        sample({ __name__: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', pod: 's-0' }, '140737488355328')
      ],
      nodeLabel: { 'nvidia.com/gpu.memory': '81920' }
    },
    decision: 'rewrite',
    check: {
      peakMiB: { 'StatefulSet/s': 4096 },
      peakRatio: {
        DCGM_FI_DEV_FB_USED_PERCENT: 0.05,
        DCGM_FI_DEV_GPU_UTIL: 0.31,
        DCGM_FI_PROF_GR_ENGINE_ACTIVE: 'none'
      }
    }
  },
  {
    name: 'a pod that ended and is still exported',
    input: {
      pods: [
        {
          name: 'api-7c9d8f6b5d-x2k4p',
          namespace: 'team-a',
          owner: 'Deployment/api',
          uid: 'u1',
          started: 0,
          ended: 3600
        },
        {
          name: 'api-7c9d8f6b5d-mm9qk',
          namespace: 'team-a',
          owner: 'Deployment/api',
          uid: 'u2',
          started: 3600
        }
      ],
      series: [
        {
          ...sample({ pod: 'api-7c9d8f6b5d-x2k4p' }, 0),
          values: [
            [60, '4000'],
            [7200, '9000']
          ]
        },
        {
          ...sample({ pod: 'api-7c9d8f6b5d-mm9qk' }, 0),
          values: [
            [3700, '100'],
            [7200, '5000']
          ]
        }
      ]
    },
    decision: 'rewrite',
    check: { peakMiB: { 'Deployment/api': 5000 }, names: ['the pod had ended'] }
  },
  {
    name: 'a replicated device whose pods the exporter does not name',
    input: {
      series: [sample({ pod: 'ocr-5d8f9c7c6b-mm9qk' }, 6870)],
      nodeLabel: { 'nvidia.com/gpu.replicas': '4' }
    },
    decision: 'leave',
    check: { peakMiB: { 'Deployment/ocr': { atMost: 6870 } }, patch: 'none' }
  },
  {
    name: 'a metric that nobody knows',
    input: { series: [sample({ __name__: 'gpu_memory', pod: 's-0' }, 4000)] },
    decision: 'leave',
    check: { peakMiB: { 'StatefulSet/s': 'none' }, names: ['gpu_memory'] }
  }
]

for (const { name, input, decision, check } of cases) {
  t.test(`a case of measured use: ${name}`, async (t) => {
    const file = {
      id: 'x',
      kind: 'e',
      title: name,
      input: { policy, ...input },
      nodes: [],
      history: {},
      expect: { decision },
      check
    }

    const [verdict] = judge(file)

    t.equal(verdict?.result, 'right', verdict?.remarks.join('; ') ?? 'no verdict')
  })
}

t.test('a wrong peak, bound or ratio is told', async (t) => {
  const wrong = (check: JsonRecord) =>
    judge({
      id: 'x',
      kind: 'e',
      title: 'x',
      input: { policy, series: [sample({ pod: 's-0' }, 4000)] },
      nodes: [],
      history: {},
      expect: { decision: 'attribute' },
      check
    })[0]?.remarks

  t.match(wrong({ peakMiB: 5000 }), [/^peakMiB: want 5000, got/])
  t.match(wrong({ peakMiB: { atMost: 4000 } }), [/want/])
  t.match(wrong({ peakMiB: { 's-0': 'none' } }), [/peakMiB of s-0: want "none"/])
  t.match(wrong({ peakRatio: { DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0.5 } }), [/got none/])
})
