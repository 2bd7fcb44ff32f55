import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { toEffectivePolicy } from '../../../src/core/policy/effective-policy.ts'
import { printFault } from '../../../src/core/policy/fault.ts'
import { wrongPolicies } from '../../fixtures/policies/wrong.ts'

function aPolicy(spec: unknown, name = 'p') {
  return { apiVersion: 'rightslice.dev/v1alpha1', kind: 'GpuPolicy', metadata: { name, generation: 3 }, spec }
}

async function fixture(name: string): Promise<Record<string, unknown>> {
  return parse(await readFile(new URL(`../../fixtures/policies/${name}`, import.meta.url), 'utf8'))
}

t.test('an empty spec means the defaults', async (t) => {
  t.strictSame(toEffectivePolicy(aPolicy({})), {
    kind: 'valid',
    refused: [],
    policy: {
      name: 'p',
      generation: 3,
      priority: 0,
      suspended: false,
      mode: 'Propose',
      rewrite: 'warn',
      isolation: 'warn',
      isolationRules: {},
      namespaceSelector: undefined,
      nodeSelector: {},
      methods: undefined,
      allowedProfiles: undefined,
      provisionable: [],
      headroomRatio: 0.2,
      timeSlicing: undefined,
      mps: undefined,
      compute: { fit: true, marginRatio: 1.2 },
      minCoverageSeconds: 259_200,
      lookbackSeconds: 1_209_600,
      onMissingCapacity: 'KeepWholeGpu',
      onQuotaEscape: 'KeepWholeGpu',
      queued: 'KeepWholeGpu',
      allowPin: true,
      toleratedTaints: [],
      canary: undefined,
      rescueAfterSeconds: 300,
      maxExemptionSeconds: 2_592_000,
      windows: []
    }
  })
})

t.test('reads the sample once its apiVersion is ours', async (t) => {
  const sample = { ...(await fixture('dc1-mig.yaml')), apiVersion: 'rightslice.dev/v1alpha1' }

  t.match(toEffectivePolicy(sample), {
    kind: 'valid',
    refused: [],
    policy: {
      name: 'dc1-mig',
      generation: 0,
      mode: 'Approve',
      rewrite: 'enforce',
      isolation: 'enforce',
      nodeSelector: { 'node.kubernetes.io/pool': 'gpu' },
      allowedProfiles: ['1g.5gb', '2g.10gb', '3g.20gb'],
      headroomRatio: 0.2,
      timeSlicing: { namespaces: ['ml-dev'], maxReplicas: 4, rename: true },
      windows: [{ text: 'Sat 02:00-06:00 UTC' }]
    }
  })
})

t.test('reads both samples of the reference', async (t) => {
  t.match(toEffectivePolicy(await fixture('dc1-sharing.yaml')), { kind: 'valid', refused: [] })
  t.match(toEffectivePolicy(await fixture('dc1-strict-windows.yaml')), {
    kind: 'valid',
    policy: { mode: 'Automatic', windows: [{ kind: 'Allow' }, { kind: 'Deny' }] }
  })
})

t.test('reads every field', async (t) => {
  t.match(toEffectivePolicy(await fixture('every-field.yaml')), {
    kind: 'valid',
    refused: [],
    policy: {
      priority: -5,
      suspended: true,
      rewrite: 'warn',
      isolation: 'off',
      isolationRules: { NodeNameSet: 'off', UnknownEnvironment: 'enforce', PrivilegedWithGpu: 'warn' },
      namespaceSelector: { matchLabels: { team: 'ml' } },
      methods: ['mig-mixed', 'time-slicing', 'mps', 'mig-single', 'gke', 'dra', 'hami'],
      allowedProfiles: ['1g.10gb', '2g.20gb', '1g.10gb+me', '1g.24gb+me.all', '1g.24gb-me', '1g.24gb+gfx'],
      provisionable: ['3g.40gb'],
      headroomRatio: 0.25,
      timeSlicing: { rename: false },
      mps: { namespaces: ['ml-test'], maxReplicas: 8 },
      compute: { fit: false, busyAboveRatio: 0.8 },
      minCoverageSeconds: 129_600,
      lookbackSeconds: 2_592_000,
      onMissingCapacity: 'NextLarger',
      allowPin: false
    }
  })
})

t.test('takes every spelling of headroom from files, also a bare fraction', async (t) => {
  const ratioOf = (headroom: unknown) => {
    const read = toEffectivePolicy(aPolicy({ mig: { headroom } }))
    return read.kind === 'valid' ? read.policy.headroomRatio : read.faults.map(printFault)
  }

  t.strictSame([20, '20%', 0.2, '0.2', '20 %'].map(ratioOf), [0.2, 0.2, 0.2, 0.2, 0.2])
  t.match(ratioOf(1.2), [/^spec.mig.headroom: 1.2 could mean/])
})

t.test('a refused profile does not count, the others do, and none left means none', async (t) => {
  t.match(toEffectivePolicy(aPolicy({ mig: { allowedProfiles: ['1g.10gb', 'all-balanced'] } })), {
    kind: 'valid',
    policy: { allowedProfiles: ['1g.10gb'] },
    refused: [{ field: 'spec.mig.allowedProfiles[1]', value: 'all-balanced' }]
  })
  t.match(toEffectivePolicy(aPolicy({ mig: { allowedProfiles: ['MIG1g'] } })), {
    kind: 'valid',
    policy: { allowedProfiles: [] }
  })
})

for (const { name, spec, field, byCore = true } of wrongPolicies) {
  t.test(`${name}: ${byCore ? 'turns the policy off' : 'is reported'}`, async (t) => {
    const read = toEffectivePolicy(aPolicy(JSON.parse(JSON.stringify(spec))))

    t.equal(read.kind, byCore ? 'invalid' : 'valid')
    const faults = read.kind === 'valid' ? read.refused : read.faults
    t.equal(faults.length, 1, faults.map(printFault).join('; '))
    t.ok(faults[0]?.field.startsWith(field), faults[0]?.field ?? 'no fault')
  })
}

t.test('tells every fault at once, sorted by field, each once', async (t) => {
  const read = toEffectivePolicy({
    ...aPolicy({
      mode: 'Auto',
      typo: 1,
      mig: { headroom: '20pct', allowedProfiles: ['1g.10gb', 'MIG1g', 7], extra: true },
      timeSlicing: { namespaces: ['a'], maxReplicas: 1 },
      window: 'Sat',
      history: { lookback: '1w' },
      compute: { busyAbove: [] }
    }),
    apiVersion: 'gpu.example.com/v1'
  })

  t.strictSame(read.kind === 'invalid' && read.faults.map(({ field }) => field), [
    'apiVersion',
    'spec.compute.busyAbove',
    'spec.history.lookback',
    'spec.mig.allowedProfiles[1]',
    'spec.mig.allowedProfiles[2]',
    'spec.mig.extra',
    'spec.mig.headroom',
    'spec.mode',
    'spec.timeSlicing.maxReplicas',
    'spec.typo',
    'spec.window'
  ])
  t.match(read.kind === 'invalid' && read.faults.map(printFault)[0], /rightslice convert/)
})

t.test('says whom an invalid policy would have governed, if that can be read', async (t) => {
  const selectors = { namespaceSelector: { matchLabels: { a: 'b' } }, nodeSelector: { pool: 'gpu' } }

  t.match(toEffectivePolicy(aPolicy({ ...selectors, priority: 4, mode: 'Auto' })), {
    kind: 'invalid',
    name: 'p',
    reach: { name: 'p', priority: 4, suspended: false, ...selectors }
  })
  t.match(toEffectivePolicy(aPolicy({ priority: 'high', suspend: 'no' })), {
    reach: { priority: 0, suspended: false, namespaceSelector: undefined, nodeSelector: {} }
  })
  t.match(toEffectivePolicy(aPolicy({ nodeSelector: { gpu: true } })), { reach: undefined })
})

t.test('gives an answer for any JSON', async (t) => {
  const hostile = JSON.parse(
    '{"__proto__": {"spec": {}}, "metadata": {"name": "x"}, "spec": {"__proto__": 1}}'
  )

  for (const value of [
    null,
    undefined,
    1,
    'text',
    [],
    {},
    { spec: null },
    { metadata: 1, spec: 'x' },
    hostile
  ]) {
    t.equal(toEffectivePolicy(value).kind, 'invalid')
  }
})

t.test('does not look at the status', async (t) => {
  t.match(toEffectivePolicy({ ...aPolicy({}), status: 'nonsense' }), { kind: 'valid' })
})

t.test('passes metadata that we do not read', async (t) => {
  const object = { metadata: { name: 'p', uid: 'u', labels: { a: 'b' } }, spec: {} }

  t.match(toEffectivePolicy(object), { kind: 'valid', policy: { name: 'p', generation: 0 } })
})
