import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringMapOf } from '../../../src/core/json.ts'
import {
  type FleetNamespace,
  type FleetPolicy,
  type FleetPolicySpec,
  type FleetWorkload,
  METHODS
} from './random-fleet.ts'

/*
 * What each workload should get, worked out by trying everything, from raw objects and the documentation alone: it shares no rule with the
 * product. It knows that there is enough of everything, and that no two shares of the fleet hold the same.
 */

type Method = (typeof METHODS)[number]

/** One share of one node. */
interface Way {
  readonly method: Method
  readonly node: string
  readonly resource: string
  /** What a program in it can have, MiB. */
  readonly holdsMiB: number
  readonly profile?: string
  /** Pods on one GPU, and by which list of a policy they may be there. */
  readonly shared?: { readonly replicas: number; readonly list: 'timeSlicing' | 'mps' }
  /** Ways with the same text are asked for alike, so that the scheduler may choose any of them. */
  readonly askedBy: string
  /** The model can be asked for besides. */
  readonly product: string
}

/** What a workload should get. */
export type Expected =
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'share'
      readonly method: Method
      readonly gpus: Readonly<Record<string, string>>
      /** Nodes that may take it. */
      readonly nodes: readonly string[]
    }

const GPU = 'nvidia.com/gpu'
const GKE = 'cloud.google.com/gke-'

/** A node as the API server sends it, and what is asked of it again and again. */
class Node {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly #allocatable: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly taintKeys: readonly string[]

  constructor(raw: JsonRecord) {
    const metadata = fieldOf(raw, 'metadata')
    this.name = String(fieldOf(metadata, 'name'))
    this.labels = stringMapOf(metadata, 'labels')
    this.annotations = stringMapOf(metadata, 'annotations')
    this.#allocatable = stringMapOf(fieldOf(raw, 'status'), 'allocatable')
    this.taintKeys = listOf(fieldOf(raw, 'spec'), 'taints').map((taint) => String(fieldOf(taint, 'key')))
  }

  count(resource: string): number {
    return Number(this.#allocatable[resource] ?? 0)
  }

  get resources(): readonly string[] {
    return Object.keys(this.#allocatable).filter((name) => this.count(name) > 0)
  }

  number(label: string): number {
    return Number(this.labels[label] ?? 0)
  }
}

/** Memory of slices and GPUs that Google's labels name, MiB. @source NVIDIA MIG User Guide; capacity of an L4 as PyTorch tells it, 22.03 GiB */
const GKE_MIB: Readonly<Record<string, number>> = {
  'nvidia-tesla-a100 2g.10gb': 9856,
  'nvidia-l4 ': 22_559
}

/** What the driver keeps of a card, and the MPS server besides, MiB. @source docs/sharing.md, mps and hami */
const DRIVER_MIB = 1331
const MPS_SERVER_MIB = 600

/** One function a method; another method is another entry here, in METHODS of random-fleet.ts and in fleet-nodes.ts. */
const waysBy: Readonly<Record<Method, (node: Node) => readonly Omit<Way, 'node' | 'product' | 'method'>[]>> =
  {
    'mig-mixed': (node) =>
      node.resources
        .filter((name) => name.startsWith('nvidia.com/mig-'))
        .map((resource) => ({
          resource,
          holdsMiB: node.number(`${resource}.memory`),
          profile: resource.slice('nvidia.com/mig-'.length),
          askedBy: resource
        })),
    'mig-single': (node) => {
      const product = node.labels['nvidia.com/gpu.product'] ?? ''
      const [, profile] = product.split('-MIG-')
      if (profile === undefined || node.labels['nvidia.com/mig.strategy'] !== 'single') return []
      return [{ resource: GPU, holdsMiB: node.number('nvidia.com/gpu.memory'), profile, askedBy: product }]
    },
    'time-slicing': (node) => replicasOf(node, 'time-slicing', 0),
    mps: (node) => replicasOf(node, 'mps', DRIVER_MIB + MPS_SERVER_MIB),
    gke: (node) => {
      const [size, clients] = [
        node.labels[`${GKE}gpu-partition-size`],
        node.number(`${GKE}max-shared-clients-per-gpu`)
      ]
      if (size === undefined && clients === 0) return []
      const deviceMiB = GKE_MIB[`${node.labels[`${GKE}accelerator`]} ${size ?? ''}`] ?? 0
      const common = { resource: GPU, askedBy: `${size} ${clients}` }
      if (size !== undefined) return [{ ...common, holdsMiB: deviceMiB, profile: size }]
      const shared = { replicas: clients, list: 'timeSlicing' } as const
      return [{ ...common, holdsMiB: Math.floor(deviceMiB / clients), shared }]
    },
    hami: (node) => {
      const text = node.annotations['hami.io/node-nvidia-register']
      if (text === undefined) return []
      const cards: unknown = JSON.parse(text)
      const sizes = [cards].flat().map((card) => Number(fieldOf(card, 'devmem')))
      return [{ resource: 'nvidia.com/gpumem', holdsMiB: Math.max(...sizes) - DRIVER_MIB, askedBy: 'hami' }]
    }
  }

function replicasOf(node: Node, strategy: 'time-slicing' | 'mps', keptMiB: number) {
  const replicas = node.number('nvidia.com/gpu.replicas')
  if (node.labels['nvidia.com/gpu.sharing-strategy'] !== strategy || replicas < 2) return []
  const list = strategy === 'mps' ? ('mps' as const) : ('timeSlicing' as const)
  return node.resources
    .filter((name) => [GPU, `${GPU}.shared`].includes(name))
    .map((resource) => ({
      resource,
      holdsMiB: Math.floor((node.number('nvidia.com/gpu.memory') - keptMiB) / replicas),
      shared: { replicas, list },
      askedBy: `${strategy} ${resource}`
    }))
}

/** Where whole GPUs are asked for by a pod that selects these labels. */
export function nodesWithGpus(
  rawNodes: readonly JsonRecord[],
  selector: FleetWorkload['nodeSelector']
): readonly string[] {
  return rawNodes
    .map((raw) => new Node(raw))
    .filter((node) => node.taintKeys.length === 0 && node.count(GPU) > 0 && carries(node, selector))
    .map(({ name }) => name)
}

function carries({ labels }: Node, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}

/** What the workload should get of this fleet. */
export function expectedOf(
  workload: FleetWorkload,
  fleet: {
    readonly rawNodes: readonly JsonRecord[]
    readonly policies: readonly FleetPolicy[]
    readonly namespaces: readonly FleetNamespace[]
  }
): Expected {
  const namespace = fleet.namespaces.find(({ name }) => name === workload.namespace)
  const nodes = fleet.rawNodes
    .map((raw) => new Node(raw))
    .filter((node) => carries(node, workload.nodeSelector))
  const spec = governing(fleet.policies, workload.namespace, nodes)
  const wish = (name: string): string | undefined => workload.annotations[`rightslice.dev/${name}`]
  if (
    namespace === undefined ||
    spec === undefined ||
    wish('sharing') === 'never' ||
    wish('pin') === 'whole-gpu'
  )
    return { kind: 'whole' }
  const usable = nodes
    .filter((node) => node.taintKeys.every((key) => key.startsWith(GKE)))
    .flatMap((node) => waysOf(node))
  const asks = askings(usable).filter((ways) =>
    ways.some(({ node }) => nodes.some((one) => one.name === node && carries(one, spec.nodeSelector ?? {})))
  )
  const pin = wish('pin')
  const fitting = asks.filter((ways) =>
    ways.every(
      (way) =>
        isAllowed(way, { spec, namespace, isPinned: pin !== undefined }) &&
        (wish('sharing') !== 'mig' || separationRank(way) === 0) &&
        (pin === undefined ? way.holdsMiB >= neededMiB(workload, spec) : isPinnedTo(way, pin))
    )
  )
  return chosen(fitting, workload, spec)
}

function waysOf(node: Node): readonly Way[] {
  const product = node.labels['nvidia.com/gpu.product'] ?? ''
  return METHODS.flatMap((method) =>
    waysBy[method](node).map((way) => ({ ...way, method, node: node.name, product }))
  )
}

/** All that a pod could ask for, each with every share that it could then be given: by kind alone, and replicas by model besides. */
function askings(ways: readonly Way[]): readonly (readonly Way[])[] {
  const key = ({ method, resource, askedBy }: Way): string => `${method} ${resource} ${askedBy}`
  const alike = [...Map.groupBy(ways, key).values()]
  const byModel = alike
    .filter(([way]) => way?.shared !== undefined)
    .flatMap((group) => [...Map.groupBy(group, ({ product }) => product).values()])
  return [...alike, ...byModel]
}

/** For whom a share may be. */
interface Whom {
  readonly spec: FleetPolicySpec
  readonly namespace: FleetNamespace
  readonly isPinned: boolean
}

function isAllowed({ method, profile, shared }: Way, { spec, namespace, isPinned }: Whom): boolean {
  if (spec.methods !== undefined && !spec.methods.includes(method)) return false
  if (method === 'hami') return spec.methods !== undefined && namespace.sharedOk
  if (shared !== undefined) return mayShare(shared, spec, namespace)
  return isPinned || (spec.mig.allowedProfiles ?? [profile]).some((allowed) => allowed === profile)
}

function mayShare(
  { list, replicas }: NonNullable<Way['shared']>,
  spec: FleetPolicySpec,
  { name, sharedOk }: FleetNamespace
): boolean {
  const { namespaces = [], maxReplicas = 0 } = spec[list] ?? {}
  return sharedOk && namespaces.includes(name) && replicas <= maxReplicas
}

function isPinnedTo({ profile, shared }: Way, pin: string): boolean {
  return pin === 'shared'
    ? shared !== undefined
    : shared === undefined && profile === pin.slice('mig-'.length)
}

/** Hardware, a limit on memory, a limit by software, nothing. */
function separationRank({ method, shared }: Way): number {
  if (method === 'hami') return 2
  if (shared === undefined) return 0
  return shared.list === 'mps' ? 1 : 3
}

/** The first in the order of the policy, or what keeps most apart; then the smallest. */
function chosen(
  fitting: readonly (readonly Way[])[],
  workload: FleetWorkload,
  spec: FleetPolicySpec
): Expected {
  const ranked = fitting.flatMap((ways) => {
    const [way] = ways
    if (way === undefined) return []
    const rank = spec.methods?.indexOf(way.method) ?? separationRank(way)
    return [{ way, ways, rank, worstMiB: Math.min(...ways.map(({ holdsMiB }) => holdsMiB)) }]
  })
  const [best] = ranked.sort(
    (a, b) => a.rank - b.rank || a.worstMiB - b.worstMiB || b.ways.length - a.ways.length
  )
  if (best === undefined) return { kind: 'whole' }
  const { method, resource } = best.way
  const gpus: Record<string, string> =
    method === 'hami' ? { [GPU]: '1', [resource]: `${neededMiB(workload, spec)}` } : { [resource]: '1' }
  return { kind: 'share', method, gpus, nodes: best.ways.map(({ node }) => node).sort() }
}

/** Of the policies for the namespace that have a node in reach, the one of highest priority; then by name. */
function governing(
  policies: readonly FleetPolicy[],
  namespace: string,
  nodes: readonly Node[]
): FleetPolicySpec | undefined {
  const own = policies.filter(({ spec: { namespaceSelector, nodeSelector = {} } }) => {
    const meant = namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] ?? namespace
    return meant === namespace && nodes.some((node) => carries(node, nodeSelector))
  })
  const [first] = own.sort((a, b) => b.spec.priority - a.spec.priority || (a.name < b.name ? -1 : 1))
  return first?.spec
}

function neededMiB({ peakMiB, annotations }: FleetWorkload, { mig }: FleetPolicySpec): number {
  const percent = Math.max(
    Number.parseInt(mig.headroom, 10),
    Number.parseInt(annotations['rightslice.dev/headroom'] ?? '0', 10)
  )
  const floorMiB = Number.parseInt(annotations['rightslice.dev/min-memory'] ?? '0', 10) * 1024
  return Math.max(Math.ceil((peakMiB * (100 + percent)) / 100), floorMiB)
}

/** Nodes as the API server sends them. */
export function rawNodesOf(list: unknown): readonly JsonRecord[] {
  return [fieldAt(list, 'items')].flat().filter(isRecord)
}
