import t from 'tap'
import { gpuModels } from '../../../src/core/gpu/catalog.ts'
import {
  countLabel,
  hasInvalidLayout,
  hasSliceLabels,
  isLayoutSettled,
  isReplicated,
  modelOf,
  productOf,
  sliceCompute,
  sliceMemoryMiB,
  wholeGpusOn
} from '../../../src/core/sharing/node-labels.ts'
import { viewOf } from '../../build/input.ts'
import { aHamiNode, aMigNode, aNode, aSharedNode, aWholeNode } from '../../build/node.ts'

const slice = 'nvidia.com/mig-1g.10gb'
const product = 'nvidia.com/gpu.product'

function labelled(labels: Readonly<Record<string, string>>): ReturnType<typeof viewOf> {
  return viewOf(aNode({ labels }))
}

const config = 'nvidia.com/mig.config'
const settled: readonly { labels: Record<string, string>; want: boolean }[] = [
  { labels: {}, want: true },
  { labels: { [config]: 'all-1g.10gb', [`${config}.state`]: 'success' }, want: true },
  { labels: { [`${config}.state`]: 'success' }, want: true },
  { labels: { [config]: 'all-1g.10gb' }, want: false },
  { labels: { [config]: '' }, want: false },
  { labels: { [config]: 'all-1g.10gb', [`${config}.state`]: 'pending' }, want: false },
  { labels: { [`${config}.state`]: 'rebooting' }, want: false },
  { labels: { [`${config}.state`]: 'failed' }, want: false }
]
for (const { labels, want } of settled) {
  t.test(
    `the layout of a node labelled ${JSON.stringify(labels)} is ${want ? '' : 'not '}settled`,
    async (t) => {
      t.equal(isLayoutSettled(labelled(labels)), want)
    }
  )
}

const counts: readonly { text: string; want: number | undefined }[] = [
  { text: '0', want: 0 },
  { text: '9728', want: 9728 },
  { text: '007', want: 7 },
  { text: '999999999', want: 999_999_999 },
  { text: '1000000000', want: undefined },
  { text: '', want: undefined },
  { text: '-1', want: undefined },
  { text: '1.5', want: undefined },
  { text: '1e3', want: undefined },
  { text: '12 ', want: undefined }
]
for (const { text, want } of counts) {
  t.test(`a label "${text}" is the count ${want ?? 'of nothing'}`, async (t) => {
    t.equal(countLabel(labelled({ n: text }), 'n'), want)
  })
}

t.test('a label that is missing, or only inherited, is no count', async (t) => {
  t.equal(countLabel(labelled({}), 'n'), undefined)
  t.equal(countLabel(labelled({}), 'constructor'), undefined)
})

t.test('labels of a slice begin with its own resource name and nothing more', async (t) => {
  for (const end of ['count', 'memory', 'product', 'replicas', 'slices.gi', 'slices.ci', 'multiprocessors']) {
    t.equal(hasSliceLabels(labelled({ [`${slice}.${end}`]: '1' }), slice), true)
  }
  t.equal(
    hasSliceLabels(labelled({ [`${slice}.me.count`]: '1', [`${slice}.me.all.count`]: '1' }), slice),
    false
  )
  t.equal(hasSliceLabels(labelled({ [`${slice}.me.count`]: '1' }), `${slice}.me`), true)
  t.equal(hasSliceLabels(labelled({}), slice), false)
})

t.test('a slice is replicated when its label says more than one', async (t) => {
  for (const replicas of ['2', '4'])
    t.equal(isReplicated(labelled({ [`${slice}.replicas`]: replicas }), slice), true)
  for (const replicas of ['0', '1', 'x']) {
    t.equal(isReplicated(labelled({ [`${slice}.replicas`]: replicas }), slice), false)
  }
  t.equal(isReplicated(labelled({}), slice), false)
})

t.test('the model is found behind layout, sharing and the spelling of old drivers', async (t) => {
  const model = modelOf(labelled({ [product]: 'NVIDIA-A100-PCIE-40GB' }))

  t.ok(model)
  for (const value of [
    'A100-PCIE-40GB',
    'NVIDIA-A100-PCIE-40GB-MIG-1g.5gb',
    'NVIDIA-A100-PCIE-40GB-SHARED'
  ]) {
    t.equal(modelOf(labelled({ [product]: value })), model)
  }
  t.equal(modelOf(labelled({ [product]: 'Tesla-T4' })), undefined)
  t.equal(modelOf(labelled({})), undefined)
})

t.test('the product label is taken apart, and INVALID is an invalid layout', async (t) => {
  t.equal(productOf(labelled({})), undefined)
  t.strictSame(productOf(labelled({ [product]: 'Tesla-T4-SHARED' })), {
    model: 'Tesla-T4',
    layout: { kind: 'whole' },
    shared: true
  })
  t.equal(hasInvalidLayout(labelled({ [product]: 'NVIDIA-A100-SXM4-80GB-MIG-INVALID' })), true)
  t.equal(hasInvalidLayout(labelled({ [product]: 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb' })), false)
  t.equal(hasInvalidLayout(labelled({})), false)
})

const h100 = 'NVIDIA-H100-80GB-HBM3'
const memories: readonly {
  name: string
  labels: Record<string, string>
  profile?: string
  want: number | undefined
}[] = [
  { name: 'the label counts', labels: { [product]: h100, [`${slice}.memory`]: '9900' }, want: 9900 },
  { name: 'the catalogue where there is no label', labels: { [product]: h100 }, want: 9984 },
  {
    name: 'the catalogue where the label is zero',
    labels: { [product]: h100, [`${slice}.memory`]: '0' },
    want: 9984
  },
  {
    name: 'the catalogue where the label is no number',
    labels: { [product]: h100, [`${slice}.memory`]: '10g' },
    want: 9984
  },
  {
    name: 'the label also of a model that nobody knows',
    labels: { [product]: 'X', [`${slice}.memory`]: '9900' },
    want: 9900
  },
  { name: 'unknown for a model that nobody knows', labels: { [product]: 'X' }, want: undefined },
  { name: 'unknown without a product', labels: {}, want: undefined },
  {
    name: 'unknown for a profile that the model does not have',
    labels: { [product]: h100 },
    profile: '1g.18gb',
    want: undefined
  }
]
for (const { name, labels, profile = '1g.10gb', want } of memories) {
  t.test(`memory of a slice: ${name}`, async (t) => {
    const got = sliceMemoryMiB(labelled(labels), slice, profile)

    t.equal(got, want)
  })
}

const computes: readonly {
  name: string
  labels: Record<string, string>
  profile?: string
  ratio: number
  basis: string
}[] = [
  {
    name: 'the SM label over the SMs of the model',
    labels: { [product]: h100, [`${slice}.multiprocessors`]: '18' },
    ratio: 18 / 132,
    basis: 'sm-label'
  },
  {
    name: 'the catalogue without a label',
    labels: { [product]: h100 },
    ratio: 16 / 132,
    basis: 'sm-catalog'
  },
  {
    name: 'the catalogue where the label is zero',
    labels: { [product]: h100, [`${slice}.multiprocessors`]: '0' },
    ratio: 16 / 132,
    basis: 'sm-catalog'
  },
  {
    name: 'never more than the whole',
    labels: { [product]: h100, [`${slice}.multiprocessors`]: '500' },
    ratio: 1,
    basis: 'sm-label'
  },
  {
    name: 'slices of seven for a model that nobody knows, whatever its SM label',
    labels: { [product]: 'X', [`${slice}.multiprocessors`]: '16' },
    ratio: 1 / 7,
    basis: 'slices'
  },
  {
    name: 'slices of seven without a product',
    labels: {},
    profile: '3g.40gb',
    ratio: 3 / 7,
    basis: 'slices'
  },
  { name: 'never more slices than there are', labels: {}, profile: '8g.96gb', ratio: 1, basis: 'slices' }
]
for (const { name, labels, profile = '1g.10gb', ratio, basis } of computes) {
  t.test(`compute of a slice: ${name}`, async (t) => {
    t.strictSame(sliceCompute(labelled(labels), slice, profile), { ratio, basis })
  })
}

t.test('compute of a slice is by slices where the catalogue knows no SM count', async (t) => {
  const known = gpuModels.flatMap((model) =>
    model.profiles
      .filter(({ smCount }) => smCount === undefined || model.smTotal === undefined)
      .map((profile) => ({ label: model.productLabels[0]?.value, profile: profile.name }))
  )
  const [first] = known.filter(({ label }) => label !== undefined)

  t.ok(first)
  t.equal(
    sliceCompute(labelled({ [product]: first?.label ?? '' }), slice, first?.profile ?? '').basis,
    'slices'
  )
})

t.test('compute of what is no profile is unknown', async (t) => {
  t.strictSame(sliceCompute(labelled({}), slice, 'half'), { ratio: undefined, basis: 'slices' })
})

const wholes: readonly { name: string; node: ReturnType<typeof aNode>; want: number }[] = [
  { name: 'of whole GPUs', node: aWholeNode({ gpus: 4 }), want: 4 },
  { name: 'without labels', node: aNode({ allocatable: { 'nvidia.com/gpu': '2' } }), want: 2 },
  { name: 'without GPUs', node: aNode(), want: 0 },
  { name: 'whose slices have names of their own', node: aMigNode(), want: 0 },
  {
    name: 'whose slices are called GPUs',
    node: aNode({
      labels: { [product]: 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb' },
      allocatable: { 'nvidia.com/gpu': '7' }
    }),
    want: 0
  },
  { name: 'of replicas', node: aSharedNode({ renamed: false }), want: 0 },
  {
    name: 'that GKE shares',
    node: aNode({
      labels: { 'cloud.google.com/gke-max-shared-clients-per-gpu': '4' },
      allocatable: { 'nvidia.com/gpu': '4' }
    }),
    want: 0
  },
  { name: 'where HAMi lists each GPU ten times', node: aHamiNode({ gpus: 2, split: 10 }), want: 2 }
]
for (const { name, node, want } of wholes) {
  t.test(`a node ${name} gives ${want} whole GPUs`, async (t) => {
    t.equal(wholeGpusOn(viewOf(node)), want)
  })
}
