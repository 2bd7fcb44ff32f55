import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { fieldOf, isRecord, type JsonRecord, stringMapOf } from '../../../src/core/json.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { gpuNode } from '../../bed/nodes.ts'
import { anInput } from '../../build/input.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'
import { registrationOf } from '../sharing/hami-scheduler.ts'
import { fleetNodes, hamiNode } from './fleet-nodes.ts'
import { expectedOf } from './oracle.ts'
import { gpusOf } from './pod-history.ts'
import { drawFleet, type FleetWorkload, type RandomFleet } from './random-fleet.ts'

/* The same comparison as on the bed, without one, and therefore over many more draws: 200 x 60 workloads. */

const SEEDS = 200
const WORKLOADS = 60

/** The node as the API server would send it. */
function rawNode(spec: (typeof fleetNodes)[number]): JsonRecord {
  const { metadata, status, ...node } = gpuNode(spec)
  if (spec.name !== hamiNode.name) return { ...node, metadata, status }
  const { annotations, resources } = registrationOf(hamiNode)
  const allocatable = { ...status.allocatable, ...resources }
  return { ...node, metadata: { ...metadata, annotations }, status: { ...status, allocatable } }
}

const rawNodes = fleetNodes.map(rawNode)

/** What the engine makes of the pod of a workload. */
function decided(
  one: FleetWorkload,
  { policies, namespaces }: RandomFleet
): { pod: unknown; reason: string } {
  const { name, namespace, annotations, nodeSelector } = one
  const pod = aPod({ name, namespace, annotations, nodeSelector })
  const sharedOk = namespaces.find((space) => space.name === namespace)?.sharedOk === true
  const input = anInput({
    pod,
    nodes: rawNodes,
    policies: policies.map((policy) => aPolicy({ name: policy.name, ...policy.spec })),
    usage: aUsage({ peakMiB: one.peakMiB }),
    namespace,
    namespaceLabels: sharedOk ? { 'rightslice.dev/isolation': 'shared-ok' } : {}
  })
  const decision = decide(input)
  const methods = decision.kind === 'rewrite' ? decision.methods : []
  return { pod: applyStrictly(pod, toJsonPatch(pod, decision), methods), reason: decision.reason }
}

/** Nodes on which the scheduler may put the pod. */
function nodesFor(pod: unknown): readonly string[] {
  const spec = fieldOf(pod, 'spec')
  const selector = Object.entries(stringMapOf(spec, 'nodeSelector'))
  const tolerations = [fieldOf(spec, 'tolerations') ?? []].flat()
  return rawNodes
    .filter((node) => {
      const labels = stringMapOf(node['metadata'], 'labels')
      const allocatable = stringMapOf(fieldOf(node, 'status'), 'allocatable')
      const taints = [fieldOf(node['spec'], 'taints') ?? []].flat()
      return (
        selector.every(([key, value]) => labels[key] === value) &&
        Object.entries(gpusOf(pod)).every(
          ([name, count]) => Number(allocatable[name] ?? 0) >= Number(count)
        ) &&
        taints.every((taint) => tolerations.some((own) => fieldOf(own, 'key') === fieldOf(taint, 'key')))
      )
    })
    .map((node) => String(fieldOf(node['metadata'], 'name')))
    .sort()
}

/** How the two differ, in words; undefined where they agree. */
function difference(one: FleetWorkload, fleet: RandomFleet): string | undefined {
  const want = expectedOf(one, { ...fleet, rawNodes })
  const { pod, reason } = decided(one, fleet)
  const share = isRecord(pod) ? stringMapOf(pod['metadata'], 'labels')['rightslice.dev/slice'] : undefined
  const gpus = JSON.stringify(gpusOf(pod))
  const about = `${JSON.stringify(one)} got ${gpus} ${nodesFor(pod).join()} (${reason}), wanted ${JSON.stringify(want)}`
  if (want.kind === 'whole')
    return share === undefined && gpus === '{"nvidia.com/gpu":"1"}' ? undefined : about
  const isThere = nodesFor(pod).length > 0 && nodesFor(pod).every((node) => want.nodes.includes(node))
  return isThere && gpus === JSON.stringify(want.gpus) ? undefined : about
}

t.test(`the engine decides as trying everything does, over ${SEEDS} draws`, async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const fleet = drawFleet(seed, { namespaces: 10, workloads: WORKLOADS })

    const differences = fleet.workloads.flatMap((one) => difference(one, fleet) ?? [])

    if (differences.length > 0) t.strictSame(differences, [], `seed ${seed}`)
  }
  t.pass(`${SEEDS * WORKLOADS} workloads were compared`)
})
