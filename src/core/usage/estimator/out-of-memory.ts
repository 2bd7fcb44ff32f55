/** How the end of a container points to a lack of GPU memory, the strongest sign first. */
export type OutOfMemoryEvidence = 'message' | 'exit-at-ceiling' | 'near-ceiling'

/** What is known of a container that ended, or of one that still runs near its ceiling. */
export interface ContainerEnd {
  /** undefined while it runs. */
  readonly exitCode: number | undefined
  /** Text that the image wrote, or the end of its log where the pod asks for that. */
  readonly terminationMessage: string
  /** Whether we had given it a smaller share. */
  readonly wasRewritten: boolean
  readonly lastSampleMiB: number | undefined
  /** Usable memory of its share, MiB. */
  readonly shareMiB: number | undefined
}

/**
 * Words of libraries for a failed allocation of GPU memory.
 * @source messages of CUDA, cuBLAS, NCCL, NVML, PyTorch, TensorFlow / XLA, vLLM
 */
const MESSAGES = [
  /\bCUDA[^\n]{0,60}out of memory/i,
  /\bOutOfMemoryError\b[^\n]{0,40}\b(CUDA|GPU)/i,
  /\btorch\.(cuda\.)?OutOfMemoryError\b/,
  /\bCU(DA|BLAS|DNN)_(ERROR_OUT_OF_MEMORY|STATUS_ALLOC_FAILED)\b/,
  /\bcudaErrorMemoryAllocation\b/,
  /\bRESOURCE_EXHAUSTED\b[^\n]{0,80}(out of memory|allocat)/i,
  /\bNCCL[^\n]{0,60}out of memory/i,
  /\bNVML_ERROR_INSUFFICIENT_RESOURCES\b|\bNVML_ERROR_MEMORY\b/,
  /No available memory for the cache blocks/
] as const

/** Exit codes that speak of the host or of an ordinary stop: SIGKILL (host memory), SIGTERM. */
const EXITS_OF_THE_HOST: readonly number[] = [137, 143]

/** A last sample from here on is at the ceiling: 9,363 of 9,856 MiB. */
const CEILING_FROM_RATIO = 0.95

/** Text beyond this is not looked at; Kubernetes itself keeps 4 KiB. */
const MESSAGE_LIMIT = 8192

/**
 * Whether the container lacked GPU memory. Exit code 137 and `OOMKilled` never say so: they are about host memory.
 * @returns `message` when a library said so; `exit-at-ceiling` when it failed in a share that we chose with the last
 *   sample at 95 % of it or more; `near-ceiling` when only the sample is there; undefined when nothing points to it
 */
export function outOfMemoryEvidence(end: ContainerEnd): OutOfMemoryEvidence | undefined {
  const { exitCode, wasRewritten } = end
  const isFailure = exitCode !== undefined && exitCode !== 0
  if (isFailure && speaksOfGpuMemory(end.terminationMessage)) return 'message'
  if (!isAtCeiling(end)) return undefined
  return isFailure && wasRewritten && !EXITS_OF_THE_HOST.includes(exitCode)
    ? 'exit-at-ceiling'
    : 'near-ceiling'
}

function isAtCeiling({ lastSampleMiB, shareMiB }: ContainerEnd): boolean {
  if (lastSampleMiB === undefined || shareMiB === undefined || shareMiB <= 0) return false
  return lastSampleMiB >= shareMiB * CEILING_FROM_RATIO
}

function speaksOfGpuMemory(message: string): boolean {
  const text = message.slice(-MESSAGE_LIMIT)
  return MESSAGES.some((pattern) => pattern.test(text))
}
