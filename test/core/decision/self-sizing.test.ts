import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { selfSizingOf } from '../../../src/core/decision/self-sizing.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { anInput } from '../../build/input.ts'
import { aPod, type ContainerSpec } from '../../build/pod.ts'
import { aUsage } from '../../build/usage.ts'

function markOf(spec: ContainerSpec): ReturnType<typeof selfSizingOf> {
  return readPod(aPod({ containers: [spec] }), 'team-a').containers.map(selfSizingOf)[0]
}

const marked: readonly { spec: ContainerSpec; program: string; setting: string }[] = [
  ...[
    { args: ['--gpu-memory-utilization=0.9'] },
    { args: ['--gpu-memory-utilization', '0.5'] },
    { args: ['--gpu_memory_utilization=0.9'] },
    { args: ['--gpu-memory_utilization', '0.9'] },
    { command: ['sh', '-c', 'python -m app \\\n"--gpu_memory_utilization" 0.4'] },
    { env: { VLLM_ARGS: '--gpu-memory-utilization 0.9' } },
    { env: { EXTRA: '--model m --gpu_memory_utilization=0.9' } },
    { command: ['vllm', 'serve', 'm'] },
    { command: ['/opt/venv/bin/vllm', 'serve', 'm'] },
    { command: ['sh', '-c', 'exec vllm serve m'] },
    { command: ['sh', '-c', 'python -m app --gpu-memory-utilization 0.4'] },
    { command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'] },
    { image: 'vllm/vllm-openai:v0.11.0' },
    { image: 'registry.example/mirror/vllm-openai@sha256:0f' },
    { image: 'vllm' }
  ].map((spec) => ({ spec, program: 'vLLM', setting: '--gpu-memory-utilization' })),
  ...[
    { args: ['--mem-fraction-static=0.8'] },
    { args: ['--mem_fraction_static', '0.8'] },
    { command: ['python3', '-m', 'sglang.launch_server'] }
  ].map((spec) => ({ spec, program: 'SGLang', setting: '--mem-fraction-static' })),
  ...[
    { args: ['--kv_cache_free_gpu_memory_fraction', '0.9'] },
    { args: ['--kv-cache-free-gpu-memory-fraction=0.9'] }
  ].map((spec) => ({ spec, program: 'TensorRT-LLM', setting: '--kv_cache_free_gpu_memory_fraction' })),
  ...[{ args: ['--cuda-memory-fraction=1.0'] }, { command: ['text-generation-launcher'] }].map((spec) => ({
    spec,
    program: 'text-generation-inference',
    setting: '--cuda-memory-fraction'
  })),
  {
    spec: { env: { XLA_PYTHON_CLIENT_MEM_FRACTION: '.75' } },
    program: 'JAX',
    setting: 'XLA_PYTHON_CLIENT_MEM_FRACTION'
  },
  {
    spec: { env: { XLA_PYTHON_CLIENT_PREALLOCATE: 'true' } },
    program: 'JAX',
    setting: 'XLA_PYTHON_CLIENT_PREALLOCATE'
  },
  {
    spec: { env: { TF_FORCE_GPU_ALLOW_GROWTH: 'false' } },
    program: 'TensorFlow',
    setting: 'TF_FORCE_GPU_ALLOW_GROWTH'
  }
]

for (const { spec, program, setting } of marked) {
  t.test(`[DEC26] ${JSON.stringify(spec)} is ${program} at work`, async (t) => {
    const usage = aUsage({ peakMiB: 7373, deviceMiB: 81_920 })

    const decision = decide(anInput({ pod: aPod({ containers: [spec] }), usage }))

    t.strictSame(markOf(spec), { program, setting })
    t.equal(decision.reason, 'SelfSizing')
    t.match(decision.sentence, `(0.09 of the device): what ${program}'s ${setting.replace('--', '')} sets`)
  })
}

const unmarked: readonly ContainerSpec[] = [
  {},
  { args: ['--gpu-memory-utilization-report'] },
  { args: ['--gpu_memory_utilization_report'] },
  { args: ['--no--gpu-memory-utilization'] },
  { command: ['sh', '-c', 'app --gpu-memory-utilization-report'] },
  { env: { GPU_MEMORY_UTILIZATION: '0.9' } },
  { env: { NOTE: 'gpu-memory-utilization -- see --help' } },
  { args: ['--model=/models/vllm-notes'] },
  { command: ['python', 'train.py', '--name=vllm.txt'] },
  { env: { XLA_PYTHON_CLIENT_PREALLOCATE: 'false' } },
  { env: { TF_FORCE_GPU_ALLOW_GROWTH: 'true' } },
  { env: { CUDA_VISIBLE_DEVICES: '0' } }
]

for (const spec of unmarked) {
  t.test(`[DEC26] ${JSON.stringify(spec)} says nothing of a fixed fraction`, async (t) => {
    t.equal(markOf(spec), undefined)
  })
}
