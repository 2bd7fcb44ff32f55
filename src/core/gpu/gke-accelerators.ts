import { findModelByProductLabel, type GpuModel } from './catalog.ts'

/** What is known of a GPU that GKE offers. */
export interface GkeAccelerator {
  /** Value of the node label `cloud.google.com/gke-accelerator`. */
  readonly name: string
  /** Product label by which the catalogue knows the model; undefined for models without MIG, which it does not list. */
  readonly productLabel: string | undefined
  /** Memory of one whole GPU where the catalogue does not tell it: the lowest that programs were seen to get, MiB. */
  readonly memoryMiB: number | undefined
  readonly source: string
}

/** Which GPU comes with which machine type. */
const MACHINES = 'https://docs.cloud.google.com/compute/docs/gpus (GPU models by machine type)'

/**
 * GPUs of GKE by the value of their node label. What is not listed here has unknown memory, and nothing fits it.
 * Several values may stand for one model: A3 High and A3 Mega differ in their network alone.
 */
export const gkeAccelerators: readonly GkeAccelerator[] = [
  partitionable('nvidia-tesla-a100', 'NVIDIA-A100-SXM4-40GB'),
  partitionable('nvidia-a100-80gb', 'NVIDIA-A100-SXM4-80GB'),
  partitionable('nvidia-h100-80gb', 'NVIDIA-H100-80GB-HBM3'),
  partitionable('nvidia-h100-mega-80gb', 'NVIDIA-H100-80GB-HBM3'),
  partitionable('nvidia-h200-141gb', 'NVIDIA-H200'),
  partitionable('nvidia-b200', 'NVIDIA-B200'),
  partitionable('nvidia-gb200', 'NVIDIA-GB200'),
  partitionable('nvidia-rtx-pro-6000', 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition'),
  {
    name: 'nvidia-l4',
    productLabel: undefined,
    memoryMiB: 22_559,
    source: `${MACHINES}; PyTorch tells a capacity of 22.03 GiB where nvidia-smi lists 23034 MiB`
  },
  {
    name: 'nvidia-tesla-t4',
    productLabel: undefined,
    memoryMiB: 14_930,
    source: `${MACHINES}; CUDA tells 15655829504 bytes, nvidia-smi lists 15079 to 15360 MiB`
  }
]

function partitionable(name: string, productLabel: string): GkeAccelerator {
  return { name, productLabel, memoryMiB: undefined, source: MACHINES }
}

/** One GPU as a node of GKE has it: the model where it can be partitioned, and the memory of the whole, MiB. */
export interface GkeGpu {
  readonly model: GpuModel | undefined
  readonly memoryMiB: number | undefined
}

const byName: ReadonlyMap<string, GkeGpu> = new Map(
  gkeAccelerators.map(({ name, productLabel, memoryMiB }) => {
    const model = productLabel === undefined ? undefined : findModelByProductLabel(productLabel)
    return [name, { model, memoryMiB: memoryMiB ?? lowestMemoryMiB(model) }]
  })
)

/** Boards of one model differ a little: the least of them. */
function lowestMemoryMiB(model: GpuModel | undefined): number | undefined {
  const known = [model?.totalMemoryMiB ?? [], model?.totalMemoryVariantsMiB ?? []].flat()
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The GPU that an accelerator label names; undefined for one that is not known. */
export function findGkeGpu(accelerator: string): GkeGpu | undefined {
  return byName.get(accelerator)
}
