import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Test } from 'tap'
import { obstacleTo } from '../../src/core/cluster/reach.ts'
import { decide } from '../../src/core/decision/decide.ts'
import type { Decision } from '../../src/core/decision/decision.ts'
import { fieldAt, isRecord, type JsonRecord } from '../../src/core/json.ts'
import { applyStrictly, isAllowedPath } from '../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../src/core/patch/operation.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { type Offer, type SharingMethod, separations } from '../../src/core/sharing/method.ts'
import { anInput, type InputSpec, viewOf } from '../build/input.ts'
import { aNode, aWholeNode } from '../build/node.ts'
import { aPod } from '../build/pod.ts'
import { anEffectivePolicy, aPolicy, type PolicySpec } from '../build/policy.ts'
import { frozen } from '../property/frozen.ts'
import { holds } from '../property/holds.ts'
import { inputOf, type MethodSample, methodSamples, viewIn } from './method-samples.ts'

/** What every sharing method promises, in each of its situations. */
export function sharingMethodContract(t: Test, method: SharingMethod): void {
  const samples = Object.entries(methodSamples[method.name] ?? {})

  t.test('has a situation to be looked at in, and says what it needs', async (t) => {
    t.ok(samples.length > 0)
    t.match(method.needs, /\w+ \w+/)
  })

  t.test('offers nothing on nodes of any other kind', async (t) => {
    for (const { name, node } of nodesOfOthers(method)) t.strictSame(method.offers(viewOf(node)), [], name)
  })

  t.test('never throws, and offers nothing that is half known, on whatever node', async () => {
    holds(
      fc.property(oddNodes, (node) => {
        const view = viewOf(frozen(node))
        for (const offer of method.offers(view)) assert.deepEqual(faultsOf(method, offer, node), [])
        assert.deepEqual(method.offers(view), method.offers(view))
      }),
      500
    )
  })

  for (const [name, sample] of samples) sampleContract(t, method, { name, sample })
}

function sampleContract(
  t: Test,
  method: SharingMethod,
  { name, sample }: { readonly name: string; readonly sample: MethodSample }
): void {
  const offers = method.offers(viewIn(sample))
  const { claimTemplates = [] } = sample
  const namespace = { name: 'team-a', labels: sample.namespaceLabels, claimTemplates }
  const context = (spec: PolicySpec) => ({
    policy: anEffectivePolicy(spec),
    namespace,
    hostIpc: sample.pod?.spec?.['hostIPC'] === true
  })

  t.test(`${name}: offers carry everything, and words for what they keep apart`, async (t) => {
    t.ok(offers.length > 0)
    for (const offer of offers) {
      t.strictSame(faultsOf(method, offer, sample.node), [])
      t.ok(offer.usableMiB !== undefined && offer.computeRatio !== undefined, 'sizes are known')
      t.match(method.isolates(offer.separation), /\w+ \w+/)
    }
  })

  t.test(`${name}: is refused where policy or namespace do not allow it, and only there`, async (t) => {
    for (const offer of offers) {
      t.equal(method.refusal(offer, context(sample.policy)), undefined)
      t.match(method.refusal(offer, context(sample.refusing)), { reason: /\w+/, sentence: /\w+ \w+/ })
    }
  })

  t.test(`${name}: keeps the pod without a policy, or with one of other methods`, async (t) => {
    const other = method.name === 'mig-mixed' ? 'time-slicing' : 'mig-mixed'
    const elsewhere = { ...inputOf(sample), policies: [aPolicy({ ...sample.policy, methods: [other] })] }

    t.equal(admit(sample, { ...inputOf(sample), policies: [] }).decision.reason, 'NoPolicyMatches')
    t.equal(admit(sample, elsewhere).decision.reason, 'MethodNotAllowed')
  })

  t.test(`${name}: a pod gets what it asks for, on this node, by allowed paths alone`, async (t) => {
    const { decision, patch, pod } = admit(sample)

    if (decision.kind !== 'rewrite') throw new Error(decision.sentence)
    const view = readPod(pod, 'team-a')
    t.strictSame(
      decision.methods.map((used) => used.name),
      [method.name]
    )
    t.strictSame(
      patch.filter(({ path }) => !isAllowedPath(path, [method])),
      []
    )
    t.equal(obstacleTo(view, viewIn(sample)), undefined)
    for (const { container, ask } of decision.changes) {
      const now = view.containers.find(({ name }) => name === container.name)
      for (const [resource, count] of Object.entries(ask.resources))
        t.equal(now?.limits?.[resource] ?? '0', `${count}`)
    }
  })

  t.test(`${name}: decided again, the pod stays as it is`, async (t) => {
    const first = admit(sample)

    const second = admit(sample, inputOf(sample), first.pod)

    t.strictSame(second.patch, [])
    t.match(second.decision, { kind: 'rewrite', repeated: true, sentence: first.decision.sentence })
  })
}

interface Admitted {
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  readonly pod: unknown
}

function admit(
  sample: MethodSample,
  input: InputSpec = inputOf(sample),
  pod: unknown = aPod(sample.pod)
): Admitted {
  const decision = decide(anInput({ ...input, pod: frozen(pod) }))
  const patch = toJsonPatch(pod, decision)
  const methods = decision.kind === 'rewrite' ? decision.methods : []
  return { decision, patch, pod: applyStrictly(pod, patch, methods) }
}

/** What is wrong with an offer, whatever node made it. */
function faultsOf(method: SharingMethod, offer: Offer, node: JsonRecord): readonly string[] {
  const labels = fieldAt(node, 'metadata', 'labels')
  const taints = JSON.stringify(viewOf(node).taints)
  const { usableMiB = 1, computeRatio = 1, tolerates = [] } = offer
  const checks = {
    'made by another method': offer.method !== method.name,
    'no resource': !(offer.deviceClass === undefined ? /^[a-z0-9.-]+\/[\w.-]+$/ : /^[a-z0-9-]+$/).test(
      offer.resource
    ),
    'no short name': !/^(mig-|shared$|[a-z])/.test(offer.share),
    'no memory that is left': !(Number.isFinite(usableMiB) && usableMiB >= 0),
    'no part of a GPU': !(computeRatio > 0 && computeRatio <= 1),
    'none there': !(Number.isInteger(offer.count) && offer.count > 0),
    'shared by none': !(Number.isInteger(offer.replicas) && offer.replicas >= 1),
    'shared, and kept apart in hardware': offer.replicas > 1 && offer.separation === 'hardware',
    'an unknown separation': !separations.includes(offer.separation),
    'requires what the node lacks': Object.entries(offer.requires).some(
      ([key, value]) => !isRecord(labels) || labels[key] !== value
    ),
    'tolerates a taint that is not there': tolerates.some((taint) => !taints.includes(JSON.stringify(taint)))
  }
  return Object.entries(checks).flatMap(([fault, isSo]) => (isSo ? fault : []))
}

function nodesOfOthers({
  name
}: SharingMethod): readonly { readonly name: string; readonly node: JsonRecord }[] {
  const others = Object.entries(methodSamples).filter(([method]) => method !== name)
  return [
    { name: 'no GPU', node: aNode() },
    { name: 'whole GPUs', node: aWholeNode() },
    ...others.flatMap(([method, samples]) =>
      Object.entries(samples).map(([situation, { node }]) => ({ name: `${method}: ${situation}`, node }))
    )
  ]
}

const allNodes = Object.values(methodSamples).flatMap((samples) =>
  Object.values(samples).map(({ node }) => node)
)

function pairsAt(...path: readonly string[]): readonly (readonly [string, unknown])[] {
  return allNodes.flatMap((node) => Object.entries(Object(fieldAt(node, ...path))))
}

const labelPairs = pairsAt('metadata', 'labels')
const resourceNames = [...new Set(pairsAt('status', 'allocatable').map(([name]) => name))]

/** Nodes put together from the labels of all kinds, some with values that nobody writes. */
const oddNodes: fc.Arbitrary<JsonRecord> = fc
  .record({
    base: fc.constantFrom(...allNodes),
    added: fc.array(fc.constantFrom(...labelPairs), { maxLength: 12 }),
    odd: fc.array(
      fc.tuple(
        fc.constantFrom(...labelPairs.map(([key]) => key)),
        fc.constantFrom(
          '',
          '0',
          '1',
          '-1',
          '1e3',
          '99999999999',
          'none',
          'mps',
          '1g.5gb',
          '__proto__',
          'X-MIG-7g.999gb'
        )
      ),
      { maxLength: 4 }
    ),
    removed: fc.array(fc.constantFrom(...labelPairs.map(([key]) => key)), { maxLength: 4 }),
    allocatable: fc.dictionary(
      fc.constantFrom(...resourceNames),
      fc.constantFrom('0', '1', '7', '-1', 'x', '1.5')
    )
  })
  .map(({ base, added, odd, removed, allocatable }) => {
    const labels = {
      ...Object(fieldAt(base, 'metadata', 'labels')),
      ...Object.fromEntries([...added, ...odd])
    }
    for (const key of removed) delete labels[key]
    return aNode({
      labels,
      allocatable: { ...Object(fieldAt(base, 'status', 'allocatable')), ...allocatable }
    })
  })
