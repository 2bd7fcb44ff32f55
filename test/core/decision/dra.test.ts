import t from 'tap'
import type { ClaimTemplate } from '../../../src/core/cluster/devices/claim-template.ts'
import type { NodeView } from '../../../src/core/cluster/node-view.ts'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision, DecisionInput } from '../../../src/core/decision/decision.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf } from '../../../src/core/json.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { indexNodes } from '../../../src/core/sharing/node-index.ts'
import { aClaimTemplate, aDeviceView, h100Parts, someClasses } from '../../build/devices.ts'
import { anInput, type InputSpec, viewOf } from '../../build/input.ts'
import { aMigNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

interface Scene extends Omit<InputSpec, 'nodes'> {
  readonly views?: readonly NodeView[]
  readonly templates?: readonly ClaimTemplate[]
}

const allTemplates = [
  aClaimTemplate({ asks: { profile: '1g.10gb', deviceClass: 'mig-1g-10gb' } }),
  aClaimTemplate(),
  aClaimTemplate({ asks: { profile: '3g.40gb', deviceClass: 'mig.nvidia.com' } })
]
const large = { peakMiB: 15_000 }

function inputOf({ views = [aDeviceView()], templates = allTemplates, ...spec }: Scene = {}): DecisionInput {
  const input = anInput(spec)
  return { ...input, nodes: indexNodes(views), namespace: { ...input.namespace, claimTemplates: templates } }
}

/** As the API server hands a pod on: maps that have become empty are gone. */
function handedOn(pod: unknown): unknown {
  return JSON.parse(JSON.stringify(pod), (key, value) =>
    (key === 'limits' || key === 'requests') && Object.keys(Object(value)).length === 0 ? undefined : value
  )
}

function decideAndApply(pod: JsonRecord, scene: Scene): { decision: Decision; after: unknown } {
  const decision = decide(inputOf({ ...scene, pod }))
  const methods = decision.kind === 'rewrite' ? decision.methods : []
  return { decision, after: applyStrictly(pod, toJsonPatch(pod, decision), methods) }
}

function containerOf(pod: unknown, list = 'containers', index = 0): unknown {
  return fieldOf(listOf(fieldOf(pod, 'spec'), list)[index], 'resources')
}

t.test('[DEC35] [PAT12] a name that a class serves comes before a claim', async (t) => {
  const { decision, after } = decideAndApply(aPod(), { usage: aUsage({}) })

  t.equal(decision.reason, 'FitsMigProfile')
  t.match(decision.sentence, 'main nvidia.com/gpu 1 -> nvidia.com/mig-1g.10gb 1 ')
  const asked = { 'nvidia.com/mig-1g.10gb': '1' }
  t.strictSame(containerOf(after), { limits: asked, requests: asked })
  t.equal(fieldAt(after, 'spec', 'resourceClaims'), undefined)
})

t.test('[PAT12] a claim takes the place of the GPU', async (t) => {
  const { decision, after } = decideAndApply(aPod(), { usage: aUsage(large) })

  t.equal(decision.reason, 'FitsMigProfile')
  t.match(
    decision.sentence,
    'main nvidia.com/gpu 1 -> a claim from template rightslice-2g-20gb (mig-2g.20gb) '
  )
  t.strictSame(fieldAt(after, 'spec', 'resourceClaims'), [
    { name: 'main', resourceClaimTemplateName: 'rightslice-2g-20gb' }
  ])
  t.strictSame(containerOf(after), { limits: {}, requests: {}, claims: [{ name: 'main' }] })
  t.equal(fieldAt(after, 'metadata', 'labels', 'rightslice.dev/slice'), 'mig-2g.20gb')
})

t.test('[PAT12] the name of a class itself may be asked for', async (t) => {
  const classes = [{ ...someClasses.small, resource: 'example.com/small' }]
  const { after } = decideAndApply(aPod(), { views: [aDeviceView({}, { classes })] })

  t.match(containerOf(after), { limits: { 'deviceclass.resource.kubernetes.io/mig-1g-10gb': '1' } })
})

const sidecar = { name: 'proxy', limits: { cpu: '1' }, requests: undefined }
const originals: readonly { name: string; pod: JsonRecord; scene: Scene }[] = [
  { name: 'by name', pod: aPod(), scene: {} },
  { name: 'by claim', pod: aPod(), scene: { usage: aUsage(large) } },
  {
    name: 'by the name of a class',
    pod: aPod(),
    scene: {
      views: [aDeviceView({}, { classes: [{ ...someClasses.small, resource: 'example.com/small' }] })]
    }
  },
  {
    name: 'by claim, with other resources and another container',
    pod: aPod({
      containers: [{ limits: { 'nvidia.com/gpu': 1, memory: '1Gi' }, requests: { memory: '1Gi' } }, sidecar]
    }),
    scene: { usage: aUsage(large) }
  },
  {
    name: 'two containers by claim',
    pod: aPod({ containers: [{ name: 'a' }, { name: 'b' }] }),
    scene: { usage: aUsage({ container: 'a', ...large }, { container: 'b', ...large }) }
  },
  {
    name: 'an init container in the share of the main one',
    pod: aPod({ containers: [{ name: 'main' }], initContainers: [{ name: 'load' }] }),
    scene: { usage: aUsage({ container: 'main', ...large }, { container: 'load', ...large }) }
  }
]
for (const { name, pod, scene } of originals) {
  t.test(`[DEC49] [PAT1] deciding again on our own output changes nothing: ${name}`, async (t) => {
    const { decision, after } = decideAndApply(pod, scene)
    t.equal(decision.kind, 'rewrite', decision.sentence)
    const again = handedOn(after)
    if (!isRecord(again)) throw new Error('no pod is left')
    const second = decide(inputOf({ ...scene, pod: again }))

    t.match(second, { kind: 'rewrite', repeated: true, reason: decision.reason })
    t.strictSame(toJsonPatch(again, second), [])
  })
}

t.test('[DEC40] an init container has the claim of the container whose share it runs in', async (t) => {
  const pod = aPod({ containers: [{ name: 'main' }], initContainers: [{ name: 'load' }] })
  const usage = aUsage({ container: 'main', peakMiB: 1000 }, { container: 'load', ...large })
  const { after } = decideAndApply(pod, {
    usage,
    views: [aDeviceView({}, { classes: [someClasses.mig] })],
    templates: [aClaimTemplate()]
  })

  t.strictSame(fieldAt(after, 'spec', 'resourceClaims'), [
    { name: 'main', resourceClaimTemplateName: 'rightslice-2g-20gb' }
  ])
  t.match(containerOf(after, 'initContainers'), { claims: [{ name: 'main' }] })
})

t.test('[DEC50] a whole GPU that came back beside a claim is taken away', async (t) => {
  const scene = { usage: aUsage(large) }
  const { after } = decideAndApply(aPod(), scene)
  const limits = { 'nvidia.com/gpu': '1' }
  const [main] = listOf(fieldAt(after, 'spec'), 'containers')
  const spec = {
    ...Object(fieldOf(after, 'spec')),
    containers: [
      { ...Object(main), resources: { ...Object(fieldOf(main, 'resources')), limits, requests: limits } }
    ]
  }
  const pod: JsonRecord = { ...Object(after), spec }
  const decision = decide(inputOf({ ...scene, pod }))

  t.strictSame(
    toJsonPatch(pod, decision).map(({ op, path }) => `${op} ${path}`),
    ['limits', 'requests'].map((part) => `remove /spec/containers/0/resources/${part}/nvidia.com~1gpu`)
  )
})

t.test('[DEC49] a claim of anybody else, or a forged mark, is left alone', async (t) => {
  const own = { name: 'main', resourceClaimTemplateName: 'rightslice-2g-20gb' }
  const forged = { 'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}' }
  const pods: readonly JsonRecord[] = [
    withClaims([own, { name: 'nic', resourceClaimTemplateName: 'fast-nic' }], [{ name: 'main' }], forged),
    withClaims([{ ...own, resourceClaimTemplateName: 'rightslice-3g-40gb' }], [{ name: 'main' }], forged),
    withClaims([own], [{ name: 'main', request: 'gpu' }], forged),
    withClaims([{ name: 'main', resourceClaimName: 'rightslice-2g-20gb' }], [{ name: 'main' }], forged),
    withClaims([{ name: 'main', resourceClaimTemplateName: 'other' }], [{ name: 'main' }], {})
  ]
  for (const pod of pods) {
    const decision = decide(inputOf({ usage: aUsage(large), pod }))
    t.match(decision, { kind: 'keep', reason: 'UsesResourceClaim' }, JSON.stringify(pod['spec']))
  }
})

function withClaims(
  resourceClaims: readonly JsonRecord[],
  claims: readonly JsonRecord[],
  annotations: Record<string, string>
): JsonRecord {
  const limits = Object.keys(annotations).length === 0 ? { 'nvidia.com/gpu': '1' } : {}
  const containers = [
    { name: 'main', image: 'a', resources: { limits, claims } },
    { name: 'gpu', resources: { limits: { 'nvidia.com/gpu': '1' } } }
  ]
  return { metadata: { name: 'app-0', annotations }, spec: { resourceClaims, containers } }
}

t.test(
  '[SHA46] without a template in the namespace the pod keeps its GPU, and the reason says so',
  async (t) => {
    const decision = decide(
      inputOf({ usage: aUsage(large), templates: [], views: [aDeviceView({ parts: h100Parts.slice(1) })] })
    )

    t.match(decision, { kind: 'keep', reason: 'ClaimTemplateMissing' })
    t.match(decision.sentence, 'rightslice-2g-20gb')
  }
)

t.test(
  '[SHA17] a name that another node serves in another way needs a label, or is not asked for',
  async (t) => {
    const plugin = (labels = {}) => viewOf(aMigNode({ name: 'plugin', labels }))
    const policies = [aPolicy({ methods: ['dra'] })]
    const blurred = decide(inputOf({ views: [aDeviceView(), plugin()], policies }))
    t.match(blurred, { kind: 'rewrite', changes: [{ resource: 'rightslice-1g-10gb' }] })

    const driver = aDeviceView({}, { labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-NVL' } })
    t.match(decide(inputOf({ views: [driver, plugin()], policies, templates: [] })), {
      kind: 'rewrite',
      changes: [{ resource: 'nvidia.com/mig-1g.10gb' }],
      nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-H100-NVL' }
    })
  }
)

t.test(
  '[SHA17] a slice of a device plugin is not asked for by a name that a driver may serve elsewhere',
  async (t) => {
    const bare = viewOf(aMigNode({ name: 'plugin', labels: { 'nvidia.com/mig-1g.10gb.memory': '9728' } }))
    const policies = [aPolicy({ methods: ['mig-mixed'] })]
    const decision = decide(inputOf({ views: [aDeviceView(), bare], policies }))

    t.equal(decision.kind, 'rewrite')
    t.ok(decision.kind === 'rewrite' && Object.keys(decision.nodeSelector).length === 1)
  }
)

t.test('[DEC39] [SHA42] containers get shares of one card only where they fit there together', async (t) => {
  const pod = aPod({ containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
  const three = (peakMiB: number) => aUsage(...['a', 'b', 'c'].map((container) => ({ container, peakMiB })))

  t.match(decide(inputOf({ pod, usage: three(15_000) })), { kind: 'rewrite' })
  t.match(decide(inputOf({ pod, usage: three(30_000) })), { kind: 'keep', reason: 'SeveralGpuContainers' })
  t.match(decide(inputOf({ pod, usage: three(30_000), views: [aDeviceView({ gpus: 2 })] })), {
    kind: 'rewrite'
  })
})

t.test('[DEC22] a pin names a profile, in whatever way it is served', async (t) => {
  const policies = [aPolicy({ exemptions: { allowPin: true } })]
  const pod = aPod({ annotations: { 'rightslice.dev/pin': 'mig-3g.40gb' } })

  t.match(decide(inputOf({ pod, policies })), {
    kind: 'rewrite',
    reason: 'PinnedToSlice',
    changes: [{ resource: 'rightslice-3g-40gb' }]
  })
})
