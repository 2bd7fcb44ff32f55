import t from 'tap'
import {
  type ContainerEnd,
  type OutOfMemoryEvidence,
  outOfMemoryEvidence
} from '../../../../src/core/usage/estimator/out-of-memory.ts'

const end: ContainerEnd = {
  exitCode: 1,
  terminationMessage: '',
  wasRewritten: true,
  lastSampleMiB: undefined,
  shareMiB: 9984
}
const atCeiling = { lastSampleMiB: 9600 }

const messages: readonly string[] = [
  'RuntimeError: CUDA error: out of memory',
  'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB',
  'torch.OutOfMemoryError: CUDA out of memory',
  'CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
  'CUDA_ERROR_OUT_OF_MEMORY: out of memory',
  'cudaErrorMemoryAllocation',
  'RESOURCE_EXHAUSTED: Out of memory while trying to allocate 3221225472 bytes',
  'NCCL WARN Cuda failure 2: out of memory',
  'NVML_ERROR_INSUFFICIENT_RESOURCES',
  'ValueError: No available memory for the cache blocks.',
  `CUDA error: out of memory${'\nat frame'.repeat(700)}`
]
for (const terminationMessage of messages) {
  t.test(`says so: ${terminationMessage.slice(0, 60)}`, async (t) => {
    t.equal(outOfMemoryEvidence({ ...end, terminationMessage }), 'message')
  })
}

const cases: readonly { name: string; end: Partial<ContainerEnd>; want: OutOfMemoryEvidence | undefined }[] =
  [
    { name: 'an exit with nothing known', end: {}, want: undefined },
    {
      name: 'host memory',
      end: { terminationMessage: 'Out of memory: Killed process 1', exitCode: 137 },
      want: undefined
    },
    {
      name: 'a message of a container that ended well',
      end: { exitCode: 0, terminationMessage: 'CUDA out of memory' },
      want: undefined
    },
    {
      name: 'a message beyond 8 KiB',
      end: { terminationMessage: `CUDA out of memory${' '.repeat(8192)}` },
      want: undefined
    },
    { name: 'an exit at the ceiling', end: atCeiling, want: 'exit-at-ceiling' },
    { name: 'an exit just below it', end: { lastSampleMiB: 9480 }, want: undefined },
    { name: 'SIGKILL at the ceiling', end: { ...atCeiling, exitCode: 137 }, want: 'near-ceiling' },
    { name: 'SIGTERM at the ceiling', end: { ...atCeiling, exitCode: 143 }, want: 'near-ceiling' },
    {
      name: 'an exit at the ceiling that we did not set',
      end: { ...atCeiling, wasRewritten: false },
      want: 'near-ceiling'
    },
    {
      name: 'a container that runs at the ceiling',
      end: { ...atCeiling, exitCode: undefined },
      want: 'near-ceiling'
    },
    { name: 'an unknown share', end: { ...atCeiling, shareMiB: undefined }, want: undefined },
    { name: 'a share of nothing', end: { ...atCeiling, shareMiB: 0 }, want: undefined }
  ]
for (const { name, end: fields, want } of cases) {
  t.test(`${name}: ${want ?? 'no evidence'}`, async (t) => {
    t.equal(outOfMemoryEvidence({ ...end, ...fields }), want)
  })
}
