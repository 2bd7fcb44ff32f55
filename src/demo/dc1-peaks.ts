/** Highest use of one container on each day, oldest first. */
export interface DailyPeaks {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly container: string
  /** Memory of the device that it ran on, MiB. */
  readonly device: number
  readonly memoryMiB: readonly number[]
  /** Busy share of the compute units, percent. */
  readonly compute?: readonly number[]
}

const A100 = 40_960
const H100 = 81_559
const L4 = 23_034

/** Fourteen days of peaks (fewer where a workload is new) for every workload of dc1 that has a history. */
export const dc1Peaks: readonly DailyPeaks[] = [
  {
    namespace: 'search',
    kind: 'Deployment',
    name: 'reranker',
    container: 'server',
    device: A100,
    memoryMiB: [3102, 3240, 3310, 3188, 3686, 2970, 2954, 3266, 3402, 3377, 3512, 3490, 3011, 3005],
    compute: [7, 8, 8, 7, 10, 6, 6, 8, 9, 9, 10, 9, 6, 6]
  },
  {
    namespace: 'search',
    kind: 'Deployment',
    name: 'embedder',
    container: 'server',
    device: A100,
    memoryMiB: [7110, 7402, 7388, 7520, 7466, 6890, 6871, 7611, 7702, 8090, 7940, 7866, 7012, 6988],
    compute: [17, 18, 18, 18, 19, 13, 13, 18, 19, 20, 20, 19, 14, 13]
  },
  {
    namespace: 'search',
    kind: 'Deployment',
    name: 'ocr',
    container: 'server',
    device: A100,
    memoryMiB: [
      14020, 14420, 15565, 14901, 14770, 11080, 10944, 14300, 14618, 14999, 15102, 14870, 11210, 11002
    ]
  },
  {
    namespace: 'search',
    kind: 'CronJob',
    name: 'nightly-eval',
    container: 'eval',
    device: A100,
    memoryMiB: [6920, 6915, 6931, 6902, 6940, 6911, 6928, 6933, 7004, 6950, 6944, 6937, 6921, 6929]
  },
  {
    namespace: 'search',
    kind: 'Deployment',
    name: 'chat',
    container: 'vllm',
    device: H100,
    memoryMiB: [
      73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403, 73403
    ],
    compute: [31, 33, 35, 34, 30, 12, 11, 33, 36, 38, 37, 35, 14, 12]
  },
  {
    namespace: 'search',
    kind: 'Deployment',
    name: 'translate',
    container: 'server',
    device: A100,
    memoryMiB: [5200, 5310]
  },
  {
    namespace: 'search',
    kind: 'Deployment',
    name: 'ranker-v2',
    container: 'server',
    device: A100,
    memoryMiB: [4100, 4120, 4135, 4190, 4201, 3900, 3890, 4230, 4222, 4260, 4244, 4210, 3912, 3905]
  },
  {
    namespace: 'train',
    kind: 'Job',
    name: 'llm-ft',
    container: 'trainer',
    device: H100,
    memoryMiB: [
      71800, 71790, 71802, 71811, 71809, 71804, 71806, 71810, 71801, 71799, 71803, 71808, 71807, 71805
    ]
  },
  {
    namespace: 'train',
    kind: 'StatefulSet',
    name: 'simulation',
    container: 'sim',
    device: H100,
    memoryMiB: [2180, 2191, 2200, 2188, 2179, 2186, 2190, 2197, 2193, 2184, 2199, 2195, 2189, 2187],
    compute: [96, 97, 97, 96, 97, 97, 96, 97, 98, 97, 97, 96, 97, 97]
  },
  {
    namespace: 'ml-dev',
    kind: 'StatefulSet',
    name: 'notebook-anna',
    container: 'notebook',
    device: L4,
    memoryMiB: [1980, 2410, 3020, 2890, 3310, 0, 0, 2770, 3905, 3120, 2844, 2901, 0, 0],
    compute: [5, 9, 12, 10, 14, 0, 0, 8, 16, 11, 9, 9, 0, 0]
  },
  {
    namespace: 'ml-dev',
    kind: 'StatefulSet',
    name: 'notebook-ben',
    container: 'notebook',
    device: L4,
    memoryMiB: [8010, 8020, 7905, 8200, 8333, 0, 0, 8120, 8402, 8310, 8290, 8111, 0, 0],
    compute: [20, 21, 20, 22, 22, 0, 0, 20, 24, 22, 22, 20, 0, 0]
  },
  {
    namespace: 'web',
    kind: 'Deployment',
    name: 'captions',
    container: 'server',
    device: A100,
    memoryMiB: [3500, 3520, 3610, 3590, 3555, 3100, 3090, 3570, 3602, 3640, 3622, 3601, 3110, 3105]
  }
]
