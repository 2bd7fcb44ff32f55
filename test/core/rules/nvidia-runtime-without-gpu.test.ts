import { asking, testRule, withEnv } from '../../build/isolation.ts'

testRule('NvidiaRuntimeWithoutGpu', [
  { name: '[RULE27] no request', spec: { runtimeClassName: 'nvidia' }, says: [/asks for no GPU/] },
  { name: '[RULE27] a request', main: asking('nvidia.com/gpu'), spec: { runtimeClassName: 'nvidia' } },
  {
    name: '[RULE27] GPUs taken away',
    main: withEnv(['NVIDIA_VISIBLE_DEVICES', 'void']),
    spec: { runtimeClassName: 'nvidia' }
  },
  {
    name: '[RULE27] taken away from one of two',
    main: withEnv(['NVIDIA_VISIBLE_DEVICES', 'void']),
    spec: { runtimeClassName: 'nvidia', initContainers: [{ name: 'i' }] },
    says: [/asks for no GPU/]
  },
  { name: '[RULE27] another class', spec: { runtimeClassName: 'runc' } },
  {
    name: '[RULE27] KAI asks by annotation',
    spec: { runtimeClassName: 'nvidia' },
    metadata: { annotations: { 'gpu-memory': '2000' } }
  }
])
