import t from 'tap'
import { foreignSystemOf } from '../../../src/core/gpu/foreign-resource.ts'

await t.test('[GPU5] names the system that counts GPUs under another name', (t) => {
  const cases = [
    { name: 'nvidia.com/gpumem', want: 'hami' },
    { name: 'nvidia.com/gpumem-percentage', want: 'hami' },
    { name: 'nvidia.com/gpucores', want: 'hami' },
    { name: 'nvidia.com/gpu.hami', want: 'hami' },
    { name: 'nvidia.com/priority', want: 'hami' },
    { name: 'nvidia.com/vgpu', want: 'vgpu' },
    { name: 'nvidia.com/vgpu-a100-8q', want: 'vgpu' },
    { name: 'nvidia.com/gpu-10gb', want: 'nos' },
    { name: 'nvidia.com/gpumemory', want: 'nvidia' },
    { name: 'nvidia.com/hostdev', want: 'nvidia' },
    { name: 'volcano.sh/vgpu-memory', want: 'volcano' },
    { name: 'volcano.sh/gpu-number', want: 'volcano' },
    { name: 'aliyun.com/gpu-mem', want: 'aliyun' },
    { name: 'aliyun.com/gpu-count', want: 'aliyun' },
    { name: 'aliyun.com/gpu-core.percentage', want: 'aliyun' },
    { name: 'nos.nebuly.com/gpu-memory', want: 'nos' },
    { name: 'run.ai/fraction', want: 'run.ai' },
    { name: 'koordinator.sh/gpu-memory-ratio', want: 'koordinator-share' },
    { name: 'tencent.com/vcuda-core', want: 'tencent' },
    { name: 'k8s.amazonaws.com/vgpu', want: 'aws-vgpu' },
    { name: 'deviceclass.resource.kubernetes.io/gpu.nvidia.com', want: 'dra' },
    { name: 'amd.com/gpu', want: 'amd' },
    { name: 'gpu.intel.com/i915', want: 'intel' }
  ]

  for (const { name, want } of cases) t.equal(foreignSystemOf(name), want, name)
  t.end()
})

await t.test('[GPU5] does not take a name for foreign because it begins or ends alike', (t) => {
  const names = [
    '',
    'cpu',
    'nvidia.com',
    'nvidia.com/',
    'mynvidia.com/gpumem',
    'nvidia.com.example/gpumem',
    'volcano.sh/vgpu',
    'volcano.sh/vgpux-memory',
    'aliyun.com/gpu-memory',
    'aliyun.com/eni',
    'my.run.ai/fraction',
    'koordinator.sh/gpux',
    'k8s.amazonaws.com/vgpu-x',
    'amd.com/gpux',
    'rdma/hca'
  ]

  for (const name of names) t.equal(foreignSystemOf(name), undefined, name)
  t.end()
})
