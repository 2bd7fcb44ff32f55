import { POOL } from './fleet-nodes.ts'

/** Ways to share that the fleet has. */
export const METHODS = ['mig-mixed', 'mig-single', 'time-slicing', 'mps', 'gke', 'hami'] as const

/** A namespace as its admin labels it. */
export interface FleetNamespace {
  readonly name: string
  readonly sharedOk: boolean
}

/** The part of a policy's spec that these tests vary. */
export interface FleetPolicySpec {
  readonly priority: number
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> }
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly methods?: readonly string[]
  readonly mig: { readonly headroom: string; readonly allowedProfiles?: readonly string[] }
  readonly timeSlicing?: { readonly namespaces: readonly string[]; readonly maxReplicas: number }
  readonly mps?: { readonly namespaces: readonly string[]; readonly maxReplicas: number }
}

/** A policy by its name. */
export interface FleetPolicy {
  readonly name: string
  readonly spec: FleetPolicySpec
}

/** A workload with one pod. */
export interface FleetWorkload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'Job'
  readonly name: string
  readonly namespace: string
  readonly peakMiB: number
  readonly annotations: Readonly<Record<string, string>>
  readonly nodeSelector: Readonly<Record<string, string>>
}

/** Everything that is drawn by lot. */
export interface RandomFleet {
  readonly namespaces: readonly FleetNamespace[]
  readonly policies: readonly FleetPolicy[]
  readonly workloads: readonly FleetWorkload[]
}

/** Numbers from 0 to 1 that follow from the seed alone. @source the public-domain generator mulberry32 */
class Lot {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    const a = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    const b = (a + Math.imul(a ^ (a >>> 7), a | 61)) ^ a
    return ((b ^ (b >>> 14)) >>> 0) / 2 ** 32
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  oneOf<T>(options: readonly [T, ...T[]]): T {
    return options[Math.floor(this.next() * options.length)] ?? options[0]
  }

  some<T>(options: readonly T[], probability: number): readonly T[] {
    return options.filter(() => this.chance(probability))
  }

  shuffled<T>(options: readonly T[]): readonly T[] {
    const keyed = options.map((option) => ({ option, key: this.next() }))
    return keyed.sort((a, b) => a.key - b.key).map(({ option }) => option)
  }
}

const PROFILES = ['1g.5gb', '1g.6gb', '1g.10gb', '2g.10gb', '2g.20gb', '3g.20gb', '3g.40gb', '4g.40gb']

/** Draws a fleet: so many namespaces, two policies for each of them in the mean, and so many workloads. */
export function drawFleet(
  seed: number,
  { namespaces, workloads }: { readonly namespaces: number; readonly workloads: number }
): RandomFleet {
  const lot = new Lot(seed)
  const spaces = Array.from({ length: namespaces }, (_, index) => ({
    name: `team-${index}`,
    sharedOk: lot.chance(0.7)
  }))
  const own = spaces.flatMap(({ name }) =>
    Array.from({ length: lot.oneOf([1, 2]) }, (_, index) => ({
      name: `${name}-${index}`,
      spec: drawPolicy(lot, name)
    }))
  )
  const everyone = { name: 'everyone', spec: { priority: 0, mig: { headroom: '20%' } } }
  const drawn = Array.from({ length: workloads }, (_, index) => drawWorkload(lot, index, spaces))
  return { namespaces: spaces, policies: [everyone, ...own], workloads: drawn }
}

function drawPolicy(lot: Lot, namespace: string): FleetPolicySpec {
  const named = lot.shuffled(lot.some(METHODS, 0.5))
  const replicas = () => ({ namespaces: [namespace], maxReplicas: lot.oneOf([2, 4, 4]) })
  return {
    priority: lot.oneOf([-1, 1, 2]),
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    ...(lot.chance(0.2) ? { nodeSelector: { [POOL]: lot.oneOf(['a', 'b']) } } : {}),
    ...(named.length > 0 && lot.chance(0.6) ? { methods: named } : {}),
    mig: {
      headroom: lot.oneOf(['0%', '10%', '20%', '50%']),
      ...(lot.chance(0.3) ? { allowedProfiles: lot.some(PROFILES, 0.5) } : {})
    },
    ...(lot.chance(0.7) ? { timeSlicing: replicas() } : {}),
    ...(lot.chance(0.7) ? { mps: replicas() } : {})
  }
}

/** Smallest and largest peak, MiB; between them every order of size is as likely. */
const PEAKS = { from: 800, to: 45_000 }

function drawWorkload(lot: Lot, index: number, spaces: readonly FleetNamespace[]): FleetWorkload {
  const space = spaces[Math.floor(lot.next() * spaces.length)]
  return {
    kind: lot.oneOf(['Deployment', 'Deployment', 'StatefulSet', 'Job']),
    name: `app-${index}`,
    namespace: space?.name ?? '',
    peakMiB: Math.round(PEAKS.from * (PEAKS.to / PEAKS.from) ** lot.next()),
    annotations: drawWishes(lot),
    nodeSelector: lot.chance(0.2) ? { [POOL]: lot.oneOf(['a', 'b']) } : {}
  }
}

function drawWishes(lot: Lot): Readonly<Record<string, string>> {
  const wishes = {
    ...(lot.chance(0.15) ? { pin: lot.oneOf(['whole-gpu', 'mig-2g.20gb', 'mig-1g.6gb', 'shared']) } : {}),
    ...(lot.chance(0.15) ? { 'min-memory': lot.oneOf(['4Gi', '10Gi', '30Gi']) } : {}),
    ...(lot.chance(0.15) ? { headroom: lot.oneOf(['5%', '40%', '100%']) } : {}),
    ...(lot.chance(0.2) ? { sharing: lot.oneOf(['never', 'mig', 'any']) } : {})
  }
  return Object.fromEntries(Object.entries(wishes).map(([key, value]) => [`rightslice.dev/${key}`, value]))
}
