import { type Random, randomFrom } from './random.ts'

/** Ways in which the need for memory moves from day to day. */
export const SHAPES = [
  'constant',
  'plateau',
  'power-of-two',
  'diurnal',
  'weekly-spike',
  'leak',
  'rare-request',
  'new-image',
  'replicas'
] as const

/** One of the ways. */
export type Shape = (typeof SHAPES)[number]

/** A workload whose need is known: what nobody sees in a cluster. */
export interface KnownWorkload {
  readonly name: string
  readonly shape: Shape
  /** Day on which it starts. */
  readonly firstDay: number
  /** True need, MiB, by pod, then by day; the days before the first one are 0. */
  readonly needMiB: readonly (readonly number[])[]
  /** Share of whatever device it gets that it takes at once; 0 for programs that take what they need. */
  readonly reservedRatio: number
  /** Day from which it runs its second image; Infinity when it has one. */
  readonly newImageDay: number
  /** Whether it lives on, more slowly, where memory runs short, so that no exit tells of it. */
  readonly copesWhenShort: boolean
  /** Whether somebody put it in a slice below its need before its history begins. */
  readonly startsShort: boolean
}

/** Length of a generated history in days. */
export const DAYS = 28

/** Smallest and largest usual need, MiB: from a slice of any card to most of a whole one. */
const LEAST_MIB = 1500
const MOST_MIB = 45_000

/** Pods of a workload with replicas; each has its busy day in turn. */
const REPLICAS = 6

/** Days from one busy day of a replica to its next: one alone shows its peak too rarely to be known by it. */
const BUSY_EVERY_DAYS = 18

/** Workloads of all shapes in equal parts, the same for the same seed. */
export function generate(count: number, seed: number): readonly KnownWorkload[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => {
    const shape = SHAPES[index % SHAPES.length] ?? 'plateau'
    return workloadOf(`w${index}`, shape, random)
  })
}

function workloadOf(name: string, shape: Shape, random: Random): KnownWorkload {
  const firstDay = random.uniform() < 0.5 ? 0 : Math.floor(random.between(0, 14))
  const level = LEAST_MIB * (MOST_MIB / LEAST_MIB) ** random.uniform()
  const newImageDay =
    shape === 'new-image'
      ? firstDay + Math.floor(random.between(5, DAYS - firstDay))
      : Number.POSITIVE_INFINITY
  const pods = shape === 'replicas' ? REPLICAS : 1
  const needMiB = Array.from({ length: pods }, (_, pod) => {
    const factor = shapes[shape]({ random, newImageDay, firstDay, pod })
    return Array.from({ length: DAYS }, (__, day) => (day < firstDay ? 0 : level * factor(day - firstDay)))
  })
  return {
    name,
    shape,
    firstDay,
    needMiB: needMiB.map((days) => days.map((need) => Math.min(need, MOST_CARD_MIB))),
    reservedRatio: shape === 'constant' ? 0.9 : 0,
    newImageDay,
    copesWhenShort: random.uniform() < 0.3,
    startsShort: shape !== 'constant' && random.uniform() < 0.2
  }
}

/** Nothing needs more than a whole H100 holds with room. */
const MOST_CARD_MIB = 72_000

interface Life {
  readonly random: Random
  readonly firstDay: number
  readonly newImageDay: number
  readonly pod: number
}

/** Level by age in days, times the usual one. */
type Factor = (age: number) => number

const shapes: Readonly<Record<Shape, (life: Life) => Factor>> = {
  constant: () => () => 1,
  plateau:
    ({ random }) =>
    (age) =>
      (age === 0 ? 0.6 : 1) * random.noise(0.02),
  'power-of-two': ({ random }) => {
    const doublings = [random.between(0, 6), random.between(0, 150)]
    return (age) => 0.5 * 2 ** doublings.filter((day) => day <= age).length * random.noise(0.02)
  },
  diurnal:
    ({ random }) =>
    () =>
      random.noise(0.08),
  'weekly-spike': ({ random }) => {
    const weekday = Math.floor(random.between(0, 7))
    return (age) => (age % 7 === weekday ? 1.6 : 1) * random.noise(0.03)
  },
  leak: ({ random }) => {
    const perDay = random.between(0.01, 0.08)
    const lives = Math.floor(random.between(4, 12))
    const offset = Math.floor(random.between(0, lives))
    return (age) => (1 + perDay * ((age + offset) % lives)) * random.noise(0.02)
  },
  'rare-request':
    ({ random }) =>
    () =>
      random.uniform() < 0.04 ? random.between(1.3, 3) : random.noise(0.04),
  'new-image': ({ random, firstDay, newImageDay }) => {
    const change = random.between(0.5, 2)
    return (age) => (age + firstDay >= newImageDay ? change : 1) * random.noise(0.03)
  },
  replicas:
    ({ random, pod }) =>
    (age) =>
      ((age + 3) % BUSY_EVERY_DAYS === pod * (BUSY_EVERY_DAYS / REPLICAS) ? 1 : 0.55) * random.noise(0.04)
}
