import type { JsonRecord } from '../../../src/core/json.ts'
import { testRule, withEnv } from '../../build/isolation.ts'

const from = (valueFrom: JsonRecord): JsonRecord => ({ env: [{ name: 'NVIDIA_VISIBLE_DEVICES', valueFrom }] })

testRule('UnknownEnvironment', [
  {
    name: '[RULE18] envFrom',
    main: { envFrom: [{ configMapRef: { name: 'c' } }] },
    says: [/envFrom, which may hold/]
  },
  {
    name: '[RULE18] envFrom with a prefix that fits nothing',
    main: { envFrom: [{ prefix: 'APP_', configMapRef: { name: 'c' } }] }
  },
  {
    name: '[RULE18] envFrom with a prefix that fits',
    main: { envFrom: [{ prefix: 'NVIDIA_', secretRef: { name: 's' } }] },
    says: [/envFrom/]
  },
  {
    name: '[RULE18] every name is given, and env wins',
    main: {
      envFrom: [{ configMapRef: { name: 'c' } }],
      ...withEnv(
        ['NVIDIA_VISIBLE_DEVICES', 'void'],
        ['LD_PRELOAD', ''],
        ['NVIDIA_MIG_CONFIG_DEVICES', ''],
        ['NVIDIA_MIG_MONITOR_DEVICES', '']
      )
    }
  },
  {
    name: '[RULE18] a ConfigMap',
    main: from({ configMapKeyRef: { name: 'c', key: 'k' } }),
    says: [/NVIDIA_VISIBLE_DEVICES from "ConfigMap c"/]
  },
  {
    name: '[RULE18] a Secret',
    main: from({ secretKeyRef: { name: 's', key: 'k' } }),
    says: [/from "Secret s"/]
  },
  {
    name: '[RULE18] something new',
    main: from({ fileKeyRef: { path: 'x' } }),
    says: [/from "a source outside the pod"/]
  },
  {
    name: '[RULE18] through a reference',
    main: {
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 's' } } },
        { name: 'LD_PRELOAD', value: '$(A)' }
      ]
    },
    says: [/LD_PRELOAD from "Secret s"/]
  },
  {
    name: '[RULE18] a token from a Secret',
    main: { env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's' } } }] }
  },
  {
    name: '[RULE18] KAI hands its fraction on by a ConfigMap',
    main: { envFrom: [{ configMapRef: { name: 'c' } }] },
    spec: { schedulerName: 'kai-scheduler' },
    metadata: { annotations: { 'gpu-memory': '2000' } }
  },
  {
    name: '[RULE18] the scheduler alone is no mark',
    main: { envFrom: [{ configMapRef: { name: 'c' } }] },
    spec: { schedulerName: 'kai-scheduler' },
    says: [/envFrom/]
  }
])
