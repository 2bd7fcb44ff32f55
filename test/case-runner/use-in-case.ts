import { lowestProfile } from '../../src/core/gpu/lowest-profile.ts'
import { migResourceName } from '../../src/core/gpu/resource-name.ts'
import { isRecord, type JsonRecord, listOf, stringMapOf, stringOf } from '../../src/core/json.ts'
import { type Attribution, attribute } from '../../src/core/usage/attribution/attribute.ts'
import type { KnownNode, KnownPod, KnownWorkload } from '../../src/core/usage/attribution/known.ts'
import { type CaseFile, recordOr } from './case-file.ts'
import { podsIn, workloadsIn } from './pods-in-case.ts'
import { type ReadSamples, readSamples } from './read-samples.ts'
import { samplesIn } from './samples-in.ts'

/** What the samples of a case say, and of whom. */
export interface UseInCase {
  readonly read: ReadSamples
  readonly pods: readonly KnownPod[]
  readonly attribution: Attribution
}

/** Runs dialect and attribution on the samples of a case; undefined for a case without any. */
export function useInCase(file: CaseFile): UseInCase | undefined {
  if (samplesIn(file.input).length === 0) return undefined
  const nodeNamed = nodesIn(file)
  const read = readSamples(file.input, ({ node }) => nodeNamed(node))
  const workloads = workloadsIn(file.input)
  const pods = podsIn(file.input, read.seen, workloads)
  const names = new Set([
    '',
    ...read.series.map(({ labels }) => labels.node),
    ...pods.map(({ node }) => node)
  ])
  const attribution = attribute({
    series: read.series,
    pods,
    ownersOf: [...new Set(pods.map(({ namespace }) => namespace))].flatMap((namespace) =>
      workloads.map((workload): KnownWorkload => ({ namespace, workload }))
    ),
    nodes: [...names].map(nodeNamed),
    nowMs: read.nowMs
  })
  return { read, pods, attribution }
}

/** What node labels and the words of a case say about memory, by name of the node; every node unless one is named. */
function nodesIn({ input, nodes }: CaseFile): (name: string) => KnownNode {
  const everywhere = {
    ...clusterLabels(input),
    ...stringMapOf(input, 'nodeLabel'),
    ...stringMapOf(input, 'nodeLabels')
  }
  return (name) => {
    const node = nodes.find((raw) => stringOf(raw, 'name') === name)
    return { name, ...labelFacts({ ...everywhere, ...stringMapOf(node, 'labels') }) }
  }
}

function labelFacts(labels: Readonly<Record<string, string>>): Omit<KnownNode, 'name'> {
  const numbersOf = (suffix: string): Record<string, number> =>
    Object.fromEntries(
      Object.entries(labels)
        .filter(([key]) => key.startsWith('nvidia.com/') && key.endsWith(suffix))
        .map(([key, value]) => [key.slice(0, -suffix.length), Number(value)])
    )
  return { memoryMiB: numbersOf('.memory'), replicas: numbersOf('.replicas') }
}

/** `{gpuMemoryMiB: 81920, "1g.10gb": 9728}` as the labels that say the same. */
function clusterLabels({ cluster }: JsonRecord): Readonly<Record<string, string>> {
  const { gpuMemoryMiB, ...profiles } = recordOr(cluster)
  return {
    ...(typeof gpuMemoryMiB === 'number' && { 'nvidia.com/gpu.memory': String(gpuMemoryMiB) }),
    ...Object.fromEntries(
      Object.entries(profiles)
        .filter(([name, memory]) => /^\d+g\./.test(name) && typeof memory === 'number')
        .map(([name, memory]) => [`${migResourceName(name)}.memory`, String(memory)])
    )
  }
}

/**
 * The nodes of a case; where it describes none, one that offers what it speaks of: the profiles of `input.cluster`, else those that
 * the policy allows. Without it a decision would be about missing nodes and not about what was measured.
 */
export function nodesWithUse({ input, nodes }: CaseFile): readonly unknown[] {
  if (nodes.length > 0) return nodes
  const allowed = listOf(input.policy, 'allowedProfiles').filter((name) => typeof name === 'string')
  const memory = {
    ...Object.fromEntries(allowed.map((name) => [`${migResourceName(name)}.memory`, lowestMemory(name)])),
    ...clusterLabels(input)
  }
  const slices = Object.keys(memory).flatMap((key) => /^(nvidia\.com\/mig-.+)\.memory$/.exec(key)?.[1] ?? [])
  return [
    {
      name: 'described',
      labels: { ...memory, 'nvidia.com/mig.strategy': 'mixed', 'nvidia.com/mig.config.state': 'success' },
      allocatable: Object.fromEntries(slices.map((resource) => [resource, '1']))
    }
  ]
}

function lowestMemory(profile: string): string {
  return String(lowestProfile(profile).usableMiB ?? 0)
}

/** Raw pods of the case that are to be admitted. */
export function admittedPods(input: JsonRecord): readonly JsonRecord[] {
  return [input.pod, ...listOf(input, 'pods')].filter(isRecord).filter((pod) => isRecord(pod.spec))
}
