import t from 'tap'
import { applyStrictly, isAllowedPath } from '../../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../../src/core/patch/operation.ts'
import { aPod } from '../../build/pod.ts'
import { frozen } from '../../property/frozen.ts'

const LIMITS = '/spec/containers/0/resources/limits'

const allowed = [
  `${LIMITS}/nvidia.com~1gpu`,
  `${LIMITS}/nvidia.com~1gpu.shared`,
  `${LIMITS}/nvidia.com~1mig-1g.10gb`,
  `${LIMITS}/nvidia.com~1mig-1g.10gb.shared`,
  '/spec/initContainers/12/resources/requests/nvidia.com~1mig-1g.10gb.me',
  '/spec/nodeSelector',
  '/spec/nodeSelector/nvidia.com~1gpu.product',
  '/spec/tolerations',
  '/spec/tolerations/-',
  '/metadata/annotations',
  '/metadata/annotations/rightslice.dev~1decision',
  '/metadata/annotations/rightslice.dev~1explain',
  '/metadata/annotations/rightslice.dev~1original-resources',
  '/metadata/annotations/rightslice.dev~1snapshot',
  '/metadata/labels',
  '/metadata/labels/rightslice.dev~1slice'
]

for (const path of allowed) {
  t.test(`[PAT7] ${path} may be touched`, async (t) => {
    t.equal(isAllowedPath(path, []), true)
  })
}

const stray = [
  '',
  '/',
  '/spec',
  '/spec/containers',
  '/spec/containers/0',
  '/spec/containers/0/resources',
  LIMITS,
  `${LIMITS}/cpu`,
  `${LIMITS}/nvidia.com~1gpumem`,
  `${LIMITS}/nvidia.com~1gpu/x`,
  `/x${LIMITS}/nvidia.com~1gpu`,
  '/spec/containers/-/resources/limits/nvidia.com~1gpu',
  '/spec/ephemeralContainers/0/resources/limits/nvidia.com~1gpu',
  '/spec/resources/limits/nvidia.com~1gpu',
  '/spec/nodeSelector/a/b',
  '/spec/schedulerName',
  '/spec/tolerations/0',
  '/metadata',
  '/metadata/annotations/example.com~1mine',
  '/metadata/annotations/rightslice.dev~1pin',
  '/metadata/labels/app',
  '/metadata/labels/rightslice.dev~1slice/x',
  '/metadata/managedFields'
]

for (const path of stray) {
  t.test(`[PAT7] "${path}" may not be touched`, async (t) => {
    t.equal(isAllowedPath(path, []), false)
    t.throws(() => applyStrictly(aPod(), [{ op: 'remove', path }]), { code: 'PATCH_INVALID' })
  })
}

t.test('[PAT7] a method may touch what it declares as its own, and what is below', async (t) => {
  const methods = [{ ownPaths: ['/spec/schedulerName', '/spec/resourceClaims'] }]
  const patch: readonly PatchOperation[] = [{ op: 'add', path: '/spec/schedulerName', value: 'other' }]

  t.equal(isAllowedPath('/spec/schedulerName', methods), true)
  t.equal(isAllowedPath('/spec/resourceClaims/0/name', methods), true)
  t.equal(isAllowedPath('/spec/resourceClaimsOfOthers', methods), false)
  t.match(applyStrictly(aPod(), patch, methods), { spec: { schedulerName: 'other' } })
  t.throws(() => applyStrictly(aPod(), patch), { code: 'PATCH_INVALID' })
})

t.test('[PAT7] a star in the path of a method stands for one step of it', async (t) => {
  const methods = [{ ownPaths: ['/spec/containers/*/resources/limits/example.com~1*'] }]

  t.equal(isAllowedPath('/spec/containers/3/resources/limits/example.com~1a', methods), true)
  t.equal(isAllowedPath('/spec/containers/3/resources/limits/exampleXcom~1a', methods), false)
  t.equal(isAllowedPath('/spec/containers/3/x/resources/limits/example.com~1a', methods), false)
})

const failing: readonly { name: string; patch: readonly PatchOperation[]; pod?: unknown }[] = [
  { name: 'removing what is not there', patch: [{ op: 'remove', path: `${LIMITS}/nvidia.com~1mig-1g.5gb` }] },
  {
    name: 'adding below a missing map',
    patch: [{ op: 'add', path: '/spec/nodeSelector/a', value: 'b' }]
  },
  {
    name: 'adding to a container that is not there',
    patch: [{ op: 'add', path: '/spec/containers/7/resources/limits/nvidia.com~1gpu', value: '1' }]
  },
  {
    name: 'adding nothing',
    patch: [{ op: 'add', path: `${LIMITS}/nvidia.com~1gpu.shared`, value: undefined }]
  },
  { name: 'patching no object', patch: [{ op: 'add', path: '/metadata/labels', value: {} }], pod: 'text' },
  { name: 'patching null', patch: [{ op: 'add', path: '/metadata/labels', value: {} }], pod: null },
  { name: 'patching a list', patch: [{ op: 'add', path: '/metadata/labels', value: {} }], pod: [1] },
  {
    name: 'changing a prototype',
    patch: [{ op: 'add', path: '/spec/nodeSelector/__proto__', value: 'x' }],
    pod: { spec: { nodeSelector: {} } }
  }
]

for (const { name, patch, pod = aPod() } of failing) {
  t.test(`[PAT8] ${name} is a fault`, async (t) => {
    t.throws(() => applyStrictly(frozen(pod), patch), { name: 'AppError', code: 'PATCH_INVALID' })
  })
}

t.test('[PAT8] the pod that is passed in stays as it is, and untouched parts are shared', async (t) => {
  const pod = frozen(aPod({ initContainers: [{}], labels: { app: 'x' } }))
  const patch = frozen([
    { op: 'remove', path: `${LIMITS}/nvidia.com~1gpu` },
    { op: 'add', path: `${LIMITS}/nvidia.com~1gpu.shared`, value: '1' },
    { op: 'add', path: '/metadata/annotations', value: { 'rightslice.dev/decision': 'x' } },
    { op: 'add', path: '/metadata/labels/rightslice.dev~1slice', value: 'shared' }
  ] as const)

  const after = applyStrictly(pod, patch)

  t.match(after, {
    metadata: { annotations: { 'rightslice.dev/decision': 'x' }, labels: { app: 'x' } },
    spec: { containers: [{ resources: { limits: { 'nvidia.com/gpu.shared': '1' } } }] }
  })
  t.strictSame(pod, aPod({ initContainers: [{}], labels: { app: 'x' } }))
})

t.test('[PAT8] lists on the way are copied too', async (t) => {
  const pod = frozen({ spec: { resourceClaims: [{ name: 'a' }], tolerations: [{ key: 'b' }] } })
  const methods = [{ ownPaths: ['/spec/resourceClaims'] }]
  const patch: readonly PatchOperation[] = [
    { op: 'add', path: '/spec/resourceClaims/-', value: { name: 'c' } },
    { op: 'remove', path: '/spec/resourceClaims/0' }
  ]

  const after = applyStrictly(pod, patch, methods)

  t.strictSame(after, { spec: { resourceClaims: [{ name: 'c' }], tolerations: [{ key: 'b' }] } })
})

t.test('an empty patch gives the pod itself', async (t) => {
  const pod = aPod()

  t.strictSame(applyStrictly(pod, []), pod)
})
