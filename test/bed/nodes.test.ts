import t from 'tap'
import { findCatalogProfile, findModelByProductLabel } from '../../src/core/gpu/catalog.ts'
import { gpuOffer } from './gpu-offer.ts'
import { CARDS } from './gpu-products.ts'
import { gpuNode } from './nodes.ts'

/** Labels that NVIDIA publishes of a real H100 node under the mixed strategy, without times, versions and host. */
const REAL_MIXED_NODE = {
  'nvidia.com/gpu.compute.major': '9',
  'nvidia.com/gpu.compute.minor': '0',
  'nvidia.com/gpu.count': '1',
  'nvidia.com/gpu.family': 'hopper',
  'nvidia.com/gpu.memory': '81559',
  'nvidia.com/gpu.present': 'true',
  'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
  'nvidia.com/gpu.replicas': '0',
  'nvidia.com/gpu.sharing-strategy': 'none',
  'nvidia.com/mig-1g.10gb.count': '2',
  'nvidia.com/mig-1g.10gb.engines.copy': '1',
  'nvidia.com/mig-1g.10gb.engines.decoder': '1',
  'nvidia.com/mig-1g.10gb.engines.encoder': '0',
  'nvidia.com/mig-1g.10gb.engines.jpeg': '1',
  'nvidia.com/mig-1g.10gb.engines.ofa': '0',
  'nvidia.com/mig-1g.10gb.memory': '9984',
  'nvidia.com/mig-1g.10gb.multiprocessors': '16',
  'nvidia.com/mig-1g.10gb.product': 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb',
  'nvidia.com/mig-1g.10gb.replicas': '1',
  'nvidia.com/mig-1g.10gb.sharing-strategy': 'none',
  'nvidia.com/mig-1g.10gb.slices.ci': '1',
  'nvidia.com/mig-1g.10gb.slices.gi': '1',
  'nvidia.com/mig-3g.40gb.memory': '40320',
  'nvidia.com/mig-3g.40gb.multiprocessors': '60',
  'nvidia.com/mig-3g.40gb.slices.gi': '3',
  'nvidia.com/mig.capable': 'true',
  'nvidia.com/mig.config.state': 'success',
  'nvidia.com/mig.strategy': 'mixed',
  'nvidia.com/mps.capable': 'false'
}

await t.test('writes the labels that a real mixed node carries', async (t) => {
  const layout = {
    kind: 'mig-mixed',
    gpus: 1,
    profiles: { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 }
  } as const

  const { labels, resources } = gpuOffer('H100-80', layout)

  t.match(labels, REAL_MIXED_NODE)
  t.strictSame(resources, {
    'nvidia.com/mig-1g.10gb': '2',
    'nvidia.com/mig-2g.20gb': '1',
    'nvidia.com/mig-3g.40gb': '1'
  })
})

const CASES = [
  {
    name: 'a whole node offers its cards and has no MIG strategy',
    product: 'L40S',
    layout: { kind: 'whole', gpus: 4 },
    labels: {
      product: 'NVIDIA-L40S',
      count: '4',
      memory: '46068',
      replicas: '1',
      'sharing-strategy': 'none'
    },
    resources: { 'nvidia.com/gpu': '4' }
  },
  {
    name: 'a mixed node keeps its cards without MIG as whole ones',
    product: 'A100-80',
    layout: { kind: 'mig-mixed', gpus: 2, whole: 1, profiles: { '1g.10gb+me': 1, '2g.20gb': 3 } },
    labels: {
      product: 'NVIDIA-A100-SXM4-80GB',
      count: '2',
      memory: '81920',
      replicas: '1',
      'sharing-strategy': 'none'
    },
    resources: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb.me': '1', 'nvidia.com/mig-2g.20gb': '3' }
  },
  {
    name: 'a single-strategy node counts MIG devices in labels and resource',
    product: 'A30',
    layout: { kind: 'mig-single', gpus: 2, profile: '1g.6gb' },
    labels: {
      product: 'NVIDIA-A30-MIG-1g.6gb',
      count: '8',
      memory: '5952',
      replicas: '1',
      'sharing-strategy': 'none',
      multiprocessors: '14',
      'slices.gi': '1'
    },
    resources: { 'nvidia.com/gpu': '8' }
  },
  {
    name: 'a time-sliced node of the same name is told by its product',
    product: 'L4',
    layout: { kind: 'time-sliced', gpus: 2, replicas: 4, renamed: false },
    labels: {
      product: 'NVIDIA-L4-SHARED',
      count: '2',
      memory: '23034',
      replicas: '4',
      'sharing-strategy': 'time-slicing'
    },
    resources: { 'nvidia.com/gpu': '8' }
  },
  {
    name: 'a renamed share leaves the old name listed with 0',
    product: 'A10',
    layout: { kind: 'mps', gpus: 1, replicas: 3, renamed: true },
    labels: { product: 'NVIDIA-A10', count: '1', memory: '23028', replicas: '3', 'sharing-strategy': 'mps' },
    resources: { 'nvidia.com/gpu': '0', 'nvidia.com/gpu.shared': '3' }
  }
] as const

for (const { name, product, layout, labels, resources } of CASES) {
  await t.test(name, async (t) => {
    const offer = gpuOffer(product, layout)

    const prefixed = Object.entries(labels).map(([key, value]) => [`nvidia.com/gpu.${key}`, value])
    t.match(offer.labels, Object.fromEntries(prefixed))
    t.strictSame(offer.resources, resources)
  })
}

await t.test('a node carries its own labels on top, its taints, and is Ready', async (t) => {
  const node = gpuNode({
    name: 'n1',
    product: 'L4',
    layout: { kind: 'whole', gpus: 1 },
    labels: { pool: 'gpu', 'nvidia.com/gpu.count': '9' },
    taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }]
  })

  t.match(node.metadata, { name: 'n1', labels: { pool: 'gpu', 'nvidia.com/gpu.count': '9' } })
  t.strictSame(node.spec.taints, [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }])
  t.match(node.status, {
    allocatable: { 'nvidia.com/gpu': '1' },
    conditions: [{ type: 'Ready', status: 'True' }]
  })
})

await t.test('refuses a profile that the card does not have', async (t) => {
  const single = (product: 'A100-40' | 'L4') => () =>
    gpuOffer(product, { kind: 'mig-single', gpus: 1, profile: '3g.40gb' })

  t.throws(single('A100-40'), /A100-40 has no MIG profile 3g\.40gb/)
  t.throws(single('L4'), /it has no MIG/)
})

await t.test('the cards of the bed and the catalogue of the product say the same', async (t) => {
  for (const { productLabel, totalMiB, profiles } of Object.values(CARDS)) {
    const model = findModelByProductLabel(productLabel)
    for (const [name, instance] of Object.entries(profiles)) {
      const entry = model && findCatalogProfile(model, name)
      t.match(
        { totalMiB: model?.totalMemoryMiB, ...entry },
        {
          totalMiB,
          maxInstances: instance.maxPerGpu,
          usableMiB: instance.usableMiB,
          smCount: instance.multiprocessors,
          computeSlices: instance.computeSlices,
          engines: instance.engines
        },
        `${productLabel} ${name}`
      )
    }
  }
})
