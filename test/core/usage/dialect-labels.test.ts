import fc from 'fast-check'
import t from 'tap'
import { ownerFamilies } from '../../../src/core/usage/dialect.ts'
import { cleanLabel, readLabels, toProductLabel } from '../../../src/core/usage/dialect-labels.ts'

const plain = ownerFamilies.find(({ name }) => name === 'plain')
const exported = ownerFamilies.find(({ name }) => name === 'exported')
const device = {
  gpu: '2',
  UUID: 'GPU-0A1B',
  device: 'nvidia2',
  modelName: 'NVIDIA H100 80GB HBM3',
  Hostname: 'node-7'
}
const owner = { container: 'server', namespace: 'team-a', pod: 'embedder-x2k4p' }

t.test('reads a whole GPU of one pod', (t) => {
  t.strictSame(readLabels({ ...device, ...owner }, 'memory', plain), {
    kind: 'labels',
    labels: {
      namespace: 'team-a',
      pod: 'embedder-x2k4p',
      container: 'server',
      node: 'node-7',
      gpuUuid: 'GPU-0a1b',
      gpuIndex: '2',
      model: 'NVIDIA-H100-80GB-HBM3',
      perProcess: false
    }
  })
  t.end()
})

t.test('reads a MIG instance, renamed and lowered labels', (t) => {
  const raw = {
    exported_namespace: 'a',
    exported_pod: 'b-0',
    namespace: 'monitoring',
    pod: 'exporter-1',
    uuid: 'gpu-AAAA',
    hostname: 'n',
    gpu_i_id: '9',
    gpu_i_profile: '1g.10gb',
    modelname: 'nvidia a100-sxm4-80gb'
  }

  t.match(readLabels(raw, 'memory', exported), {
    kind: 'labels',
    labels: {
      namespace: 'a',
      pod: 'b-0',
      container: '',
      node: 'n',
      gpuUuid: 'GPU-aaaa',
      gpuInstanceId: '9',
      migProfile: '1g.10gb',
      model: 'NVIDIA-A100-SXM4-80GB'
    }
  })
  t.end()
})

t.test('a value per process needs memory, a replica and a pod UID', (t) => {
  const shared = { ...device, ...owner, vgpu: '0', pod_uid: 'u' }
  const claim = (raw: Record<string, string>, metric: 'memory' | 'sm-active' = 'memory') => {
    const read = readLabels(raw, metric, plain)
    return read.kind === 'labels' && read.labels.perProcess
  }

  t.equal(claim(shared), true)
  t.equal(claim(shared, 'sm-active'), false)
  t.equal(claim({ ...device, ...owner, vgpu: '0' }), false)
  t.equal(claim({ ...device, ...owner, pod_uid: 'u' }), false)
  t.equal(claim({ ...device, vgpu: '0', pod_uid: 'u' }), false)
  t.end()
})

const nobody: readonly (readonly [name: string, raw: Record<string, string>, family: typeof plain])[] = [
  ['no owner labels', device, plain],
  ['empty owner labels', { ...device, namespace: '', pod: '', container: '' }, plain],
  ['a pod without a namespace', { ...device, pod: 'a' }, plain],
  ['labels of the exporter where the owner would be renamed', { ...device, ...owner }, exported],
  ['no family', { ...device, ...owner }, undefined]
]
for (const [name, raw, family] of nobody) {
  t.test(`belongs to nobody: ${name}`, (t) => {
    t.match(readLabels(raw, 'memory', family), {
      labels: { namespace: '', pod: '', container: '', gpuIndex: '2' }
    })
    t.end()
  })
}

t.test('the exporter itself is no workload', (t) => {
  for (const container of ['nvidia-dcgm-exporter', 'dcgm-exporter', 'exporter']) {
    t.strictSame(readLabels({ ...device, ...owner, container }, 'memory', plain), {
      kind: 'discard',
      why: 'exporter-itself'
    })
  }
  t.end()
})

t.test('a name that Kubernetes could not have given is not mended', (t) => {
  const bad: readonly Record<string, string>[] = [
    { pod: 'victim\u0000' },
    { pod: 'Victim' },
    { pod: '../etc' },
    { pod: `a${'b'.repeat(253)}` },
    { namespace: 'team a' },
    { namespace: 'a'.repeat(64) },
    { container: 'a"b' }
  ]
  for (const change of bad) {
    t.strictSame(readLabels({ ...device, ...owner, ...change }, 'memory', plain), {
      kind: 'discard',
      why: 'unreadable-labels'
    })
  }
  t.end()
})

t.test('inherited names are no labels', (t) => {
  const read = readLabels({ ...device }, 'memory', {
    name: 'x',
    namespace: 'constructor',
    pod: 'toString',
    container: 'c'
  })

  t.match(read, { kind: 'labels', labels: { pod: '' } })
  t.end()
})

t.test('what is kept of any label can be shown', (t) => {
  t.equal(cleanLabel('a\u001b[31m\u202eb\nc'), 'a[31mbc')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      const clean = cleanLabel(text)
      return clean.length <= 253 && !/[\p{Cc}\p{Cf}]/u.test(clean) && cleanLabel(clean) === clean
    })
  )
  t.end()
})

t.test('a model is spelled as the node label spells it', (t) => {
  t.equal(toProductLabel('NVIDIA H100 80GB HBM3'), 'NVIDIA-H100-80GB-HBM3')
  t.equal(toProductLabel('nvidia a100-sxm4-80gb'), 'NVIDIA-A100-SXM4-80GB')
  t.equal(toProductLabel('Tesla  T4 '), 'Tesla-T4')
  t.equal(toProductLabel(''), '')
  t.end()
})
