import type { ContainerHistory } from '../block.ts'

/** History of one container of one workload on one GPU model. */
export interface EstimatorInput {
  /** History under the image that its pods are made from now; without blocks when it is new. */
  readonly current: ContainerHistory
  /** Histories of the same container and GPU model under images before that. */
  readonly earlier: readonly ContainerHistory[]
}
