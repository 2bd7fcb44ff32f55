/** GPU models that a fake node may carry. */
export type GpuProduct = 'A100-40' | 'A100-80' | 'H100-80' | 'H200-141' | 'A30' | 'A10' | 'L4' | 'L40S'

/** What feature discovery reads from one MIG instance. */
export type MigInstance = {
  /** How many of them fit on one card. */
  readonly maxPerGpu: number
  readonly usableMiB: number
  readonly multiprocessors: number
  /** Compute slices of the GPU instance; the compute instance spans all of them. */
  readonly computeSlices: number
  readonly engines: {
    readonly copy: number
    readonly decoder: number
    readonly jpeg: number
    readonly ofa: number
  }
}

/** What feature discovery reads from one card. */
export type CardFacts = {
  /** Value of the label `nvidia.com/gpu.product`. */
  readonly productLabel: string
  readonly totalMiB: number
  readonly family: 'ampere' | 'hopper' | 'ada-lovelace'
  readonly computeCapability: readonly [major: number, minor: number]
  /** By profile name as the driver writes it (`1g.10gb+me`); empty when the card has no MIG. */
  readonly profiles: Readonly<Record<string, MigInstance>>
}

/** Most instances on a card, MiB, multiprocessors, compute slices, then engines: copy, decoder, jpeg, ofa. */
type Row = readonly [number, number, number, number, number, number, number, number]

const A100_40: Readonly<Record<string, Row>> = {
  '1g.5gb': [7, 4864, 14, 1, 1, 0, 0, 0],
  '1g.5gb+me': [1, 4864, 14, 1, 1, 1, 1, 1],
  '1g.10gb': [4, 9856, 14, 1, 1, 1, 0, 0],
  '2g.10gb': [3, 9856, 28, 2, 2, 1, 0, 0],
  '3g.20gb': [2, 19968, 42, 3, 3, 2, 0, 0],
  '4g.20gb': [1, 19968, 56, 4, 4, 2, 0, 0],
  '7g.40gb': [1, 40192, 98, 7, 7, 5, 1, 1]
}

const A100_80: Readonly<Record<string, Row>> = {
  '1g.10gb': [7, 9728, 14, 1, 1, 0, 0, 0],
  '1g.10gb+me': [1, 9728, 14, 1, 1, 1, 1, 1],
  '1g.20gb': [4, 19968, 14, 1, 1, 1, 0, 0],
  '2g.20gb': [3, 19968, 28, 2, 2, 1, 0, 0],
  '3g.40gb': [2, 40192, 42, 3, 3, 2, 0, 0],
  '4g.40gb': [1, 40192, 56, 4, 4, 2, 0, 0],
  '7g.80gb': [1, 80384, 98, 7, 7, 5, 1, 1]
}

const H100_80: Readonly<Record<string, Row>> = {
  '1g.10gb': [7, 9984, 16, 1, 1, 1, 1, 0],
  '1g.10gb+me': [1, 9984, 16, 1, 1, 1, 1, 1],
  '1g.20gb': [4, 20096, 16, 1, 1, 1, 1, 0],
  '2g.20gb': [3, 20096, 32, 2, 2, 2, 2, 0],
  '3g.40gb': [2, 40320, 60, 3, 3, 3, 3, 0],
  '4g.40gb': [1, 40448, 64, 4, 4, 4, 4, 0],
  '7g.80gb': [1, 81152, 132, 7, 8, 7, 7, 1]
}

const H200_141: Readonly<Record<string, Row>> = {
  '1g.18gb': [7, 16384, 16, 1, 1, 1, 1, 0],
  '1g.18gb+me': [1, 16384, 16, 1, 1, 1, 1, 1],
  '1g.35gb': [4, 33024, 16, 1, 1, 1, 1, 0],
  '2g.35gb': [3, 33024, 32, 2, 2, 2, 2, 0],
  '3g.71gb': [2, 71168, 60, 3, 3, 3, 3, 0],
  '4g.71gb': [1, 71168, 64, 4, 4, 4, 4, 0],
  '7g.141gb': [1, 143104, 132, 7, 8, 7, 7, 1]
}

const A30: Readonly<Record<string, Row>> = {
  '1g.6gb': [4, 5952, 14, 1, 1, 0, 0, 0],
  '1g.6gb+me': [1, 5952, 14, 1, 1, 1, 1, 1],
  '2g.12gb': [2, 11968, 28, 2, 2, 2, 0, 0],
  '2g.12gb+me': [1, 11968, 28, 2, 2, 2, 1, 1],
  '4g.24gb': [1, 24000, 56, 4, 4, 4, 1, 1]
}

/**
 * The cards, written down apart from the product's own catalogue so that a slip in that one cannot hide here;
 * a test compares the two.
 * @source NVIDIA MIG User Guide, supported profiles and device listings; nvidia-smi listings for the total memory
 */
export const CARDS: Readonly<Record<GpuProduct, CardFacts>> = {
  'A100-40': card('NVIDIA-A100-SXM4-40GB', 40960, 'ampere', [8, 0], A100_40),
  'A100-80': card('NVIDIA-A100-SXM4-80GB', 81920, 'ampere', [8, 0], A100_80),
  'H100-80': card('NVIDIA-H100-80GB-HBM3', 81559, 'hopper', [9, 0], H100_80),
  'H200-141': card('NVIDIA-H200', 143771, 'hopper', [9, 0], H200_141),
  A30: card('NVIDIA-A30', 24576, 'ampere', [8, 0], A30),
  A10: card('NVIDIA-A10', 23028, 'ampere', [8, 6], {}),
  L4: card('NVIDIA-L4', 23034, 'ada-lovelace', [8, 9], {}),
  L40S: card('NVIDIA-L40S', 46068, 'ada-lovelace', [8, 9], {})
}

// oxlint-disable-next-line max-params -- a row of the table above, read across
function card(
  productLabel: string,
  totalMiB: number,
  family: CardFacts['family'],
  computeCapability: CardFacts['computeCapability'],
  rows: Readonly<Record<string, Row>>
): CardFacts {
  const profiles = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, instanceOf(row)]))
  return { productLabel, totalMiB, family, computeCapability, profiles }
}

function instanceOf([maxPerGpu, usableMiB, multiprocessors, computeSlices, ...rest]: Row): MigInstance {
  const [copy, decoder, jpeg, ofa] = rest
  return { maxPerGpu, usableMiB, multiprocessors, computeSlices, engines: { copy, decoder, jpeg, ofa } }
}
