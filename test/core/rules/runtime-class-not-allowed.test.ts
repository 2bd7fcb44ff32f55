import { asking, testRule } from '../../build/isolation.ts'

testRule('RuntimeClassNotAllowed', [
  ...['other', 'crun', 'nvidia-legacy', 'Nvidia', 'katana'].map((runtimeClassName) => ({
    name: `[RULE26] ${runtimeClassName} with a GPU`,
    main: asking('nvidia.com/gpu'),
    spec: { runtimeClassName },
    says: [/the pod has runtimeClassName ".+"; use nvidia/]
  })),
  ...['nvidia', 'kata', 'kata-qemu', 'gvisor', 'runsc'].map((runtimeClassName) => ({
    name: `[RULE26] ${runtimeClassName} with a GPU is fine`,
    main: asking('nvidia.com/gpu'),
    spec: { runtimeClassName }
  })),
  {
    name: '[RULE26] one of NVIDIA without a GPU',
    spec: { runtimeClassName: 'nvidia-cdi' },
    says: [/nvidia-cdi/]
  },
  { name: '[RULE26] another without a GPU', spec: { runtimeClassName: 'wasm' } },
  { name: '[RULE26] none', main: asking('nvidia.com/gpu') }
])
