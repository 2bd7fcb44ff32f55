import t from 'tap'
import { templateSteps, wantedTemplates } from '../../../src/controllers/claims/desire-templates.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import type { NamespaceView } from '../../../src/gather/cluster-state.ts'
import { aClaimTemplate, aDeviceView, h100Parts, someClasses } from '../../build/devices.ts'
import { viewOf } from '../../build/input.ts'
import { aMigNode } from '../../build/node.ts'
import { aPolicy } from '../../build/policy.ts'

const enforce = { 'rightslice.dev/rightsize': 'enforce' }
const team: NamespaceView = { name: 'team-a', labels: enforce }
const node = aDeviceView({ parts: h100Parts.slice(0, 2) })

function wanted({
  policy = {},
  namespaces = [team],
  nodes = [node]
}: {
  policy?: JsonRecord
  namespaces?: readonly NamespaceView[]
  nodes?: Parameters<typeof wantedTemplates>[0]['nodes']
} = {}) {
  const scope = {
    nodes,
    namespaces,
    policies: [aPolicy({ mode: 'Approve', ...policy })],
    systemNamespaces: ['kube-*']
  }
  return wantedTemplates(scope).map(({ namespace, name, asks }) => `${namespace}/${name} ${asks.deviceClass}`)
}

const both = ['team-a/rightslice-1g-10gb mig-1g-10gb', 'team-a/rightslice-2g-20gb mig.nvidia.com']

t.test(
  '[SHA47] a namespace that is changed gets a template for each profile that a claim can have',
  async (t) => {
    t.strictSame(wanted(), both)
    t.strictSame(wanted({ policy: { methods: ['mig-mixed', 'dra'] } }), both)
  }
)

t.test('[SHA47] nobody else gets any', async (t) => {
  t.strictSame(wanted({ policy: { methods: ['mig-mixed'] } }), [])
  t.strictSame(wanted({ policy: { mode: 'Propose' } }), [])
  t.strictSame(wanted({ policy: { namespaceSelector: { matchLabels: { team: 'other' } } } }), [])
  t.strictSame(wanted({ nodes: [viewOf(aMigNode())] }), [])
  for (const level of ['warn', 'off'])
    t.strictSame(
      wanted({ namespaces: [{ name: 'team-a', labels: { 'rightslice.dev/rightsize': level } }] }),
      []
    )
  t.strictSame(wanted({ namespaces: [{ name: 'kube-system', labels: enforce }] }), [])
})

t.test(
  '[SHA47] profiles that the policy does not list are left out, unless pods may be pinned to them',
  async (t) => {
    const mig = { allowedProfiles: ['2g.20gb'] }
    const exemptions = { allowPin: false }
    t.strictSame(wanted({ policy: { mig, exemptions } }), both.slice(1))
    t.strictSame(wanted({ policy: { mig } }), both)
  }
)

t.test('[SHA47] where nodes differ in the class, most of them count, then the first by name', async (t) => {
  const other = (name: string) =>
    aDeviceView(
      { node: name, parts: h100Parts.slice(0, 1) },
      { classes: [{ ...someClasses.mig, name: 'a-class' }] }
    )
  const own = aDeviceView({ node: 'own', parts: h100Parts.slice(0, 1) })

  t.strictSame(wanted({ nodes: [own, other('x')] }), ['team-a/rightslice-1g-10gb a-class'])
  t.strictSame(
    wanted({ nodes: [other('x'), own, aDeviceView({ node: 'z', parts: h100Parts.slice(0, 1) })] }),
    both.slice(0, 1)
  )
})

const asks = { profile: '2g.20gb', deviceClass: 'mig.nvidia.com' }
const want = { namespace: 'team-a', name: 'rightslice-2g-20gb', asks }
const ours = aClaimTemplate()
const none = { apply: [], retire: [], retired: [], foreign: [] }
const steps: readonly { name: string; input: Parameters<typeof templateSteps>; want: object }[] = [
  { name: 'one that is missing is made', input: [[want], [], 'us'], want: { apply: [want] } },
  {
    name: 'one that is there is left as it is',
    input: [[want], [{ ...ours, managers: ['us'] }], 'us'],
    want: {}
  },
  {
    name: 'one of somebody else that says the same does as well',
    input: [[want], [{ ...ours, managers: ['them'] }], 'us'],
    want: {}
  },
  {
    name: 'one of somebody else that says something else is told of, and left alone',
    input: [[want], [{ ...ours, managers: ['them'], asks: undefined }], 'us'],
    want: { foreign: [want] }
  },
  {
    name: 'one that is not wanted is retired',
    input: [[], [{ ...ours, managers: ['us'] }], 'us'],
    want: { retire: [{ ...ours, managers: ['us'] }] }
  },
  { name: 'not one of somebody else', input: [[], [{ ...ours, managers: ['them'] }], 'us'], want: {} },
  {
    name: 'one that says something else has to go first',
    input: [[want], [{ ...ours, managers: ['us'], asks: { ...asks, deviceClass: 'old' } }], 'us'],
    want: { retire: [{ ...ours, managers: ['us'], asks: { ...asks, deviceClass: 'old' } }] }
  },
  {
    name: 'one of ours that lost its label is written again',
    input: [[want], [{ ...ours, managers: ['us'], labelled: false }], 'us'],
    want: { apply: [want] }
  },
  {
    name: 'one of somebody else without our label is of no use, and left alone',
    input: [[want], [{ ...ours, managers: ['them'], labelled: false }], 'us'],
    want: { foreign: [want] }
  },
  {
    name: 'one that is retired is to be removed',
    input: [[], [{ ...ours, managers: ['us'], retired: true }], 'us'],
    want: { retired: [{ ...ours, managers: ['us'], retired: true }] }
  },
  {
    name: 'one that is retired and wanted again comes back',
    input: [[want], [{ ...ours, managers: ['us'], retired: true }], 'us'],
    want: { apply: [want] }
  }
]
for (const { name, input, want: expected } of steps) {
  t.test(`[SHA47] ${name}`, async (t) => t.strictSame(templateSteps(...input), { ...none, ...expected }))
}
