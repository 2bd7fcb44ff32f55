import { asking, testRule, withEnv } from '../../build/isolation.ts'

const pipe = withEnv(['CUDA_MPS_PIPE_DIRECTORY', '/tmp/x'])

testRule('MpsPipeOverride', [
  {
    name: '[RULE17] beside a replica',
    main: { ...asking('nvidia.com/gpu.shared'), ...pipe },
    says: [/CUDA_MPS_PIPE_DIRECTORY="\/tmp\/x" beside a shared GPU/]
  },
  { name: '[RULE17] beside a whole GPU', main: { ...asking('nvidia.com/gpu'), ...pipe } },
  { name: '[RULE17] without a GPU', main: pipe },
  {
    name: '[RULE17] the switch of HAMi',
    main: { ...asking('nvidia.com/gpumem', 1000), ...withEnv(['CUDA_DISABLE_CONTROL', 'true']) },
    says: [/CUDA_DISABLE_CONTROL/]
  },
  ...[
    'CUDA_DEVICE_SM_LIMIT',
    'CUDA_DEVICE_MEMORY_LIMIT',
    'CUDA_DEVICE_MEMORY_LIMIT_0',
    'CUDA_DEVICE_MEMORY_LIMIT_7'
  ].map((name) => ({
    name: `[RULE17] a limit of HAMi: ${name}`,
    main: { ...asking('nvidia.com/gpumem', 1000), ...withEnv([name, '99999m']) },
    says: [new RegExp(`${name}="99999m" beside a shared GPU`)]
  })),
  {
    name: '[RULE17] a limit of HAMi beside a whole GPU',
    main: { ...asking('nvidia.com/gpu'), ...withEnv(['CUDA_DEVICE_MEMORY_LIMIT', '1000m']) }
  },
  {
    name: '[RULE17] another variable',
    main: { ...asking('nvidia.com/gpu.shared'), ...withEnv(['CUDA_MPS_ACTIVE_THREAD_PERCENTAGE', '50']) }
  }
])
