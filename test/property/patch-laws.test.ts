import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { quantityToCount } from '../../src/core/api/quantity.ts'
import { obstacleTo } from '../../src/core/cluster/reach.ts'
import type { Finding, Rewrite } from '../../src/core/decision/decision.ts'
import { carries, marksOf } from '../../src/core/decision/marks.ts'
import { gpuContainersOf } from '../../src/core/decision/whom.ts'
import { parseGpuResourceName } from '../../src/core/gpu/resource-name.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord } from '../../src/core/json.ts'
import { isAllowedPath } from '../../src/core/patch/apply.ts'
import { type ContainerView, type PodView, readPod } from '../../src/core/pod/pod-view.ts'
import { type Admitted, admit } from './admit.ts'
import { type Scenario, scenarios } from './arbitraries.ts'
import { frozen } from './frozen.ts'
import { holds } from './holds.ts'

/** Checks `law` on pods of every kind, with everything that is passed in frozen. */
function always(law: (admitted: Admitted, scenario: Scenario) => void): void {
  holds(
    fc.property(scenarios, (scenario) => law(admit(frozen(scenario)), scenario)),
    400
  )
}

function podOf(raw: unknown): PodView {
  return readPod(raw, 'team-a')
}

/** GPU resources of a map that are not zero, with their counts. */
function gpusIn(map: JsonRecord | undefined): JsonRecord {
  const counts = Object.entries(map ?? {})
    .filter(([name]) => parseGpuResourceName(name) !== undefined)
    .map(([name, quantity]) => [name, quantityToCount(quantity)])
    .filter(([, count]) => count !== 0)
  return Object.fromEntries(counts)
}

function changeOf(decision: Rewrite, { list, index }: ContainerView): string | undefined {
  return decision.changes.find(({ container }) => container.list === list && container.index === index)
    ?.resource
}

t.test('the scenarios reach rewrites, kept pods and both kinds of share', async (t) => {
  const reasons = fc
    .sample(scenarios, { numRuns: 300, seed: 7 })
    .map((scenario) => admit(scenario).decision.reason)
  const count = (reason: string): number => reasons.filter((other) => other === reason).length

  t.ok(count('FitsMigProfile') > 20, `${count('FitsMigProfile')} slices`)
  t.ok(count('FitsSharedReplica') > 10, `${count('FitsSharedReplica')} replicas`)
  t.ok(new Set(reasons).size > 15, `${[...new Set(reasons)].join(' ')}`)
})

t.test('strict patch apply: every container gets what was decided', async () => {
  always(({ input, decision, pod }) => {
    const after = podOf(pod)
    for (const [place, container] of input.pod.containers.entries()) {
      const now = after.containers[place]
      const share = decision.kind === 'rewrite' ? changeOf(decision, container) : undefined
      const want = share === undefined ? gpusIn(container.limits) : { [share]: 1 }
      assert.deepEqual(gpusIn(now?.limits), want)
    }
    if (decision.kind !== 'rewrite') return
    for (const [key, value] of Object.entries(decision.nodeSelector))
      assert.equal(after.nodeSelector[key], value)
  })
})

t.test('all GPU containers get a share or none does', async () => {
  always(({ input, decision }) => {
    if (decision.kind !== 'rewrite' || decision.repeated) return
    const asking = gpuContainersOf(input.pod).map(({ container }) => `${container.list}/${container.index}`)
    const given = decision.changes.map(({ container }) => `${container.list}/${container.index}`)
    assert.deepEqual(given.toSorted(), asking.toSorted())
  })
})

t.test('[DEC49] idempotence: deciding twice changes nothing', async () => {
  always(({ decision, pod }, scenario) => {
    const again = admit(scenario, frozen(pod))

    assert.deepEqual(again.patch, [])
    assert.equal(again.decision.reason, decision.reason)
    assert.equal(again.decision.sentence, decision.sentence)
    if (again.decision.kind === 'rewrite') assert.equal(again.decision.repeated, true)
  })
})

t.test('[PAT7] patch paths in allow-list, and none touched twice', async () => {
  always(({ patch }) => {
    for (const { path } of patch) assert.ok(isAllowedPath(path, []), path)
    assert.equal(new Set(patch.map(({ path }) => path)).size, patch.length)
  })
})

t.test('[PAT2] every GPU resource in the requests of a rewritten pod equals its limit', async () => {
  always(({ decision, pod }) => {
    if (decision.kind !== 'rewrite') return
    for (const { limits, requests } of podOf(pod).containers) {
      for (const name of Object.keys(requests ?? {}))
        if (parseGpuResourceName(name) !== undefined)
          assert.equal(quantityToCount(requests?.[name]), quantityToCount(fieldOf(limits, name)) ?? 0)
    }
  })
})

/**
 * A copy without what a patch may change: GPU resources, our marks, labels that shares require, tolerations of their taints at the end of
 * the list, and maps and lists left empty.
 */
function restOf(raw: unknown, added: readonly string[], tolerated = 0): unknown {
  const copy = JSON.parse(JSON.stringify(raw))
  const drop = (map: unknown, isOurs: (key: string) => boolean): boolean => {
    if (!isRecord(map)) return true
    for (const key of Object.keys(map).filter(isOurs)) Reflect.deleteProperty(map, key)
    return Object.keys(map).length === 0
  }
  const reserved = /^rightslice\.dev\/(decision|explain|original-resources|snapshot|slice)$/
  for (const [parent, name, isOurs] of [
    [copy.metadata, 'annotations', (key: string) => reserved.test(key)],
    [copy.metadata, 'labels', (key: string) => reserved.test(key)],
    [copy.spec, 'nodeSelector', (key: string) => added.includes(key)]
  ] as const) {
    if (drop(fieldOf(parent, name), isOurs)) Reflect.deleteProperty(parent, name)
  }
  for (const container of [...copy.spec.containers, ...(copy.spec.initContainers ?? [])])
    for (const part of ['limits', 'requests'])
      drop(fieldAt(container, 'resources', part), (key) => parseGpuResourceName(key) !== undefined)
  copy.spec.tolerations = (copy.spec.tolerations ?? []).slice(0, tolerated === 0 ? undefined : -tolerated)
  return copy
}

t.test('nothing else in the pod changes, and unknown fields survive at every level', async () => {
  always(({ input, decision, pod }, scenario) => {
    const required = decision.kind === 'rewrite' ? Object.keys(decision.nodeSelector) : []
    const added = required.filter((key) => input.pod.nodeSelector[key] === undefined)

    const tolerated = decision.kind === 'rewrite' ? decision.tolerates.length : 0

    assert.deepEqual(restOf(pod, added, tolerated), restOf(scenario.pod, added))
  })
})

t.test('[PAT5] a pod that we may touch carries our marks of now and no others', async () => {
  always(({ decision, pod }) => {
    const marks = marksOf(decision)
    if (marks !== undefined) assert.ok(carries(podOf(pod), marks))
  })
})

t.test(
  '[DEC17] a namespace or policy that only warns gets no patch, but for forged marks that go',
  async () => {
    always(({ input, decision, patch }) => {
      if (
        input.namespace.labels['rightslice.dev/rightsize'] === 'enforce' &&
        decision.reason !== 'ProposeOnly'
      )
        return

      for (const { op, path } of patch) {
        assert.equal(op, 'remove')
        assert.match(path, /^\/metadata\/(annotations|labels)\/rightslice\.dev~1/)
      }
    })
  }
)

function isEnough(
  finding: Finding,
  usableMiB: number | undefined,
  computeRatio: number | undefined
): boolean {
  const { neededMiB, neededCompute } = finding
  const isBusy = neededCompute !== undefined && (computeRatio ?? 0) < neededCompute
  return usableMiB !== undefined && usableMiB >= neededMiB && !isBusy
}

t.test('[DEC36] no container gets a share below its need, on whatever node it lands', async () => {
  always(({ input, decision, pod }) => {
    if (decision.kind !== 'rewrite' || decision.reason === 'PinnedToSlice') return
    const after = podOf(pod)
    const classes = input.nodes.classes.filter(({ nodes }) => obstacleTo(after, nodes[0]) === undefined)
    for (const { container, resource } of decision.changes) {
      const finding = decision.evidence.findings.find((entry) => entry.container === container.name)
      assert.ok(finding !== undefined)
      assert.ok(finding.neededMiB >= finding.peakMiB * (1 + finding.headroomRatio) - 1e-3)
      for (const { offers } of classes)
        for (const offer of offers)
          if (offer.resource === resource)
            assert.ok(
              isEnough(finding, offer.usableMiB, offer.computeRatio),
              JSON.stringify({ offer, finding })
            )
    }
  })
})

/** What the pod asks of one resource in all. @source Kubernetes: containers + sidecars, or init + sidecars before it */
function totalOf({ containers }: PodView, resource: string): number {
  const asks = ({ limits }: ContainerView): number => quantityToCount(fieldOf(limits, resource)) ?? 0
  const sum = (list: readonly ContainerView[]): number => list.reduce((total, each) => total + asks(each), 0)
  const inits = containers.filter(({ list }) => list === 'initContainers')
  const peaks = inits.map((init, index) => {
    const before = inits.slice(0, index).filter(({ role }) => role === 'sidecar')
    return init.role === 'init' ? asks(init) + sum(before) : 0
  })
  return Math.max(sum(containers.filter(({ role }) => role !== 'init')), ...peaks)
}

t.test('[DEC39] one node that the pod can reach has all that it asks for', async () => {
  always(({ input, decision, pod }, { policies }) => {
    const isPromised = policies.some((policy) => JSON.stringify(policy).includes('provisionable'))
    if (decision.kind !== 'rewrite' || isPromised) return
    const after = podOf(pod)
    const resources = [...new Set(decision.changes.map(({ resource }) => resource))]

    const serving = input.nodes.classes.filter(
      ({ nodes: [node] }) =>
        obstacleTo(after, node) === undefined &&
        resources.every((resource) => totalOf(after, resource) <= (node.allocatable[resource] ?? 0))
    )

    assert.ok(serving.length > 0, JSON.stringify(resources))
  })
})
