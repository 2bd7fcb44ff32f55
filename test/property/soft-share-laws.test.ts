import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { quantityToCount } from '../../src/core/api/quantity.ts'
import { decide } from '../../src/core/decision/decide.ts'
import type { Decision } from '../../src/core/decision/decision.ts'
import { fieldOf, isRecord, type JsonRecord, listOf, recordOf } from '../../src/core/json.ts'
import { applyStrictly, isAllowedPath } from '../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../src/core/patch/operation.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { throughHami } from '../build/hami-webhook.ts'
import { anInput } from '../build/input.ts'
import { aHamiNode, anMpsNode } from '../build/node.ts'
import { readPolicies, type Scenario, scenarios } from './arbitraries.ts'
import { frozen } from './frozen.ts'
import { holds } from './holds.ts'

interface Admitted {
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  readonly pod: unknown
}

function admit({ nodes, policies, usage, namespaceLabels }: Scenario, pod: unknown): Admitted {
  const input = anInput({ pod, nodes, policies: readPolicies(policies), usage, namespaceLabels })
  const decision = decide(input)
  const patch = toJsonPatch(pod, decision)
  const methods = decision.kind === 'rewrite' ? decision.methods : []
  return { decision, patch, pod: applyStrictly(pod, patch, methods) }
}

const soft = fc.record({
  kind: fc.constantFrom('mps', 'hami'),
  memoryMiB: fc.constantFrom(15_360, 23_034, 81_559),
  parts: fc.integer({ min: 2, max: 5 }),
  renamed: fc.boolean(),
  pool: fc.constantFrom('a', 'b')
})

/** The usual scenarios with soft shares in them: nodes that offer some, and policies that allow them. */
const softScenarios: fc.Arbitrary<Scenario> = fc
  .tuple(
    scenarios,
    fc.array(soft, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(['hami'], ['mps', 'hami'], ['mps'], ['hami', 'mig-mixed', 'mps', 'time-slicing'])
  )
  .map(([scenario, specs, methods]) => ({
    ...scenario,
    nodes: [
      ...scenario.nodes,
      ...specs.map(({ kind, parts, memoryMiB, renamed, pool }, index) => {
        const common = { name: `soft-${index}`, memoryMiB, labels: { pool } }
        return kind === 'mps'
          ? anMpsNode({ ...common, replicas: parts, renamed })
          : aHamiNode({ ...common, split: parts })
      })
    ],
    policies: scenario.policies.map((policy) => ({
      ...policy,
      spec: {
        ...Object(policy['spec']),
        methods,
        mps: { namespaces: ['team-a'], maxReplicas: 5 }
      }
    })),
    namespaceLabels: { ...scenario.namespaceLabels, 'rightslice.dev/isolation': 'shared-ok' }
  }))

function always(law: (scenario: Scenario) => void): void {
  holds(
    fc.property(softScenarios, (scenario) => law(frozen(scenario))),
    300
  )
}

function methodsOf({ decision }: Admitted): readonly string[] {
  return decision.kind === 'rewrite' ? decision.methods.map(({ name }) => name) : []
}

t.test('the scenarios reach both ways to share', async (t) => {
  const reached = fc
    .sample(softScenarios, { numRuns: 300, seed: 11 })
    .flatMap((scenario) => methodsOf(admit(scenario, scenario.pod)))

  for (const method of ['mps', 'hami'])
    t.ok(reached.filter((name) => name === method).length > 10, `${method}: ${reached.length} rewrites`)
})

/** What HAMi looks at of a pod with parts: it also marks containers that ask for no GPU in so many words. */
function placedByHami(pod: unknown): unknown {
  const spec = fieldOf(pod, 'spec')
  const parts = listOf(spec, 'containers').filter(
    (container) =>
      fieldOf(recordOf(fieldOf(container, 'resources'), 'limits'), 'nvidia.com/gpumem') !== undefined
  )
  return { schedulerName: fieldOf(spec, 'schedulerName'), parts }
}

t.test('[DEC49] deciding twice changes nothing, whether or not HAMi comes between', async () => {
  always((scenario) => {
    const first = admit(scenario, scenario.pod)
    const between = isRecord(first.pod) ? throughHami(first.pod) : first.pod

    assert.deepEqual(admit(scenario, frozen(first.pod)).patch, [])
    if (methodsOf(first).includes('hami')) {
      assert.deepEqual(placedByHami(between), placedByHami(first.pod))
      assert.deepEqual(admit(scenario, frozen(between)).patch, [])
    }
  })
})

t.test('[DEC62] where HAMi comes first, deciding twice changes nothing', async () => {
  always((scenario) => {
    const first = admit(scenario, frozen(throughHami(scenario.pod)))
    const second = admit(scenario, frozen(first.pod))

    assert.deepEqual(second.patch, [])
    assert.equal(second.decision.reason, first.decision.reason)
  })
})

t.test('[PAT7] only allowed paths are touched, and those of a method only by it', async () => {
  always((scenario) => {
    const { decision, patch } = admit(scenario, scenario.pod)
    const methods = decision.kind === 'rewrite' ? decision.methods : []

    for (const { path } of patch) {
      assert.ok(isAllowedPath(path, methods), path)
      if (!methods.some(({ name }) => name === 'hami')) assert.ok(isAllowedPath(path, []), path)
    }
  })
})

/** What the container asks for, and what it was found to need; undefined where it got no part by HAMi. */
function partOf({
  decision,
  pod
}: Admitted): { limits: JsonRecord; requests: JsonRecord; neededMiB: number | undefined } | undefined {
  const change =
    decision.kind === 'rewrite' ? decision.changes.find(({ share }) => share === 'gpumem') : undefined
  if (change === undefined) return undefined
  const { list, index, name } = change.container
  const after = readPod(pod, 'team-a').containers.find(
    (entry) => entry.list === list && entry.index === index
  )
  const finding = decision.evidence.findings.find(({ container }) => container === name)
  return { limits: after?.limits ?? {}, requests: after?.requests ?? {}, neededMiB: finding?.neededMiB }
}

t.test(
  '[DEC61] memory asked of HAMi is what is needed, its scheduler places the pod, and limits equal requests',
  async () => {
    always((scenario) => {
      const admitted = admit(scenario, scenario.pod)
      const part = partOf(admitted)
      if (part === undefined) return
      const count = (map: JsonRecord, name: string): number | undefined => quantityToCount(fieldOf(map, name))
      const memory = count(part.limits, 'nvidia.com/gpumem')

      assert.ok(memory !== undefined && memory > 0)
      assert.equal(memory, part.neededMiB ?? memory)
      assert.equal(count(part.limits, 'nvidia.com/gpu'), 1)
      assert.equal(readPod(admitted.pod, 'team-a').schedulerName, 'hami-scheduler')
      for (const name of Object.keys(part.requests))
        if (name.startsWith('nvidia.com/gpu'))
          assert.equal(count(part.requests, name), count(part.limits, name))
    })
  }
)
