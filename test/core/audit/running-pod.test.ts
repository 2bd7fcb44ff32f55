import t from 'tap'
import { readHostPersistentVolume, withClaimedVolumes } from '../../../src/core/pod/persistent-volume.ts'
import { readSecurity } from '../../../src/core/pod/security-view.ts'
import { auditOf, type RunningSpec } from '../../build/audit.ts'
import { anExemption } from '../../build/exemption.ts'
import { aJudgedPod, asking, withEnv } from '../../build/isolation.ts'

const bad = withEnv(['NVIDIA_VISIBLE_DEVICES', 'all'])
const warnLabel = { 'rightslice.dev/rightsize': 'warn' }

function shown(spec: RunningSpec): string {
  const audit = auditOf(spec)
  if (audit === undefined) return 'outside'
  return audit.violations.map(({ rule, level }) => `${level} ${rule}`).join(', ') || 'fine'
}

const cases: readonly (RunningSpec & { readonly name: string; readonly want: string })[] = [
  { name: '[RULE41] a pod that would be refused', main: bad, want: 'enforce VisibleDevicesOverride' },
  {
    name: '[RULE41] marks of a review prove nothing',
    main: bad,
    metadata: { annotations: { 'rightslice.dev/decision': 'FitsMigProfile' } },
    want: 'enforce VisibleDevicesOverride'
  },
  {
    name: '[RULE41] the scheduler has set nodeName, and we our marks',
    main: asking('nvidia.com/gpu'),
    spec: { nodeName: 'gpu-1' },
    metadata: { annotations: { 'rightslice.dev/decision': 'NoHistory' } },
    want: 'fine'
  },
  {
    name: '[RULE41] a request has been met once it runs',
    main: asking('nvidia.com/mig-1g.10gb'),
    spec: { nodeName: 'gpu-1' },
    want: 'enforce NamedProfileNotAllowed',
    policies: [
      {
        mig: { allowedProfiles: ['2g.20gb'] },
        isolationRules: { RequestNeverMet: 'Enforce', NamedProfileNotAllowed: 'Enforce' }
      }
    ]
  },
  {
    name: '[RULE41] ephemeral containers',
    spec: { ephemeralContainers: [{ name: 'shell', ...bad }] },
    want: 'enforce VisibleDevicesOverride'
  },
  {
    name: '[RULE42] the namespace only warns',
    main: bad,
    labels: warnLabel,
    want: 'warn VisibleDevicesOverride'
  },
  {
    name: '[RULE42] the policy only warns',
    main: bad,
    policies: [{ admission: { isolation: 'Warn' } }],
    want: 'warn VisibleDevicesOverride'
  },
  {
    name: '[RULE42] the rule only warns',
    main: bad,
    policies: [{ isolationRules: { VisibleDevicesOverride: 'Warn' } }],
    want: 'fine'
  },
  { name: '[RULE42] a doubt', main: { envFrom: [{ configMapRef: { name: 'c' } }] }, want: 'fine' },
  {
    name: '[RULE42] in the order of the table, whatever the level',
    main: { ...bad, ...asking('nvidia.com/gpu'), securityContext: { privileged: true } },
    spec: { hostPID: true },
    want: 'enforce VisibleDevicesOverride, enforce PrivilegedWithGpu, enforce HostPidWithGpu'
  },
  {
    name: '[RULE2] a namespace that is out',
    main: bad,
    labels: { 'rightslice.dev/rightsize': 'off' },
    want: 'outside'
  },
  { name: '[RULE41] no JSON is too odd', raw: { spec: { containers: [null, 1] } }, want: 'fine' }
]

for (const { name, want, ...spec } of cases) {
  t.test(name, async (t) => {
    t.equal(shown(spec), want)
  })
}

t.test(
  '[RULE41] the sentence tells what was seen and the way out, and counts further containers',
  async (t) => {
    const audit = auditOf({ main: bad, spec: { initContainers: [{ name: 'first', ...bad }] } })

    t.match(audit, {
      policy: 'standard',
      violations: [
        { sentence: /^init container "first" sets NVIDIA_VISIBLE_DEVICES="all"; .+ \(and 1 more\)$/ }
      ]
    })
  }
)

t.test('[RULE7] a sentence is short, whatever a user wrote', async (t) => {
  const volumes = Array.from({ length: 9 }, (_, index) => ({
    name: `${index}-${'x'.repeat(80)}`,
    hostPath: { path: `/dev/nvidia${'y'.repeat(80)}` }
  }))
  const sentence = auditOf({ spec: { volumes } })?.violations[0]?.sentence ?? ''

  t.equal(sentence.length, 500)
  t.match(sentence, /\.\.\.$/)
})

for (const { name, volume, says } of [
  {
    name: 'a hostPath of devices',
    volume: { hostPath: { path: '/dev' } },
    says: /^HostDevicePath container "main" mounts volume "data" \(claim "dev" of "hostPath" "\/dev"\)/
  },
  {
    name: 'a local volume of kubelet',
    volume: { local: { path: '/var/lib/kubelet/device-plugins' } },
    says: /^PluginSocketPath .*\(claim "dev" of "local"/
  },
  {
    name: 'a CSI driver that binds a folder',
    volume: { csi: { driver: 'bind.example', volumeAttributes: { path: '/run/containerd' } } },
    says: /^HostDevicePath .*\(claim "dev" of "bind.example"/
  },
  { name: 'an honest disk', volume: { local: { path: '/mnt/disks/ssd0' } }, says: undefined }
]) {
  t.test(`[RULE43] a claim that leads to ${name}`, async (t) => {
    const spec = {
      main: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'dev' } }] }
    }
    const claimRef = { namespace: 'team-a', name: 'dev' }
    const found = readHostPersistentVolume({ spec: { claimRef, ...volume }, status: { phase: 'Bound' } })
    const claims = [{ volume: 'data', claim: 'dev' }]
    const security = withClaimedVolumes(readSecurity(aJudgedPod(spec)), claims, () => found)

    const [violation] = auditOf({ ...spec, input: { security } })?.violations ?? []

    if (says === undefined) t.equal(violation, undefined)
    else t.match(`${violation?.rule} ${violation?.sentence}`, says)
  })
}

t.test('[RULE31] what an exemption lifts is no violation, and is told as lifted', async (t) => {
  const exemption = anExemption({
    rules: ['VisibleDevicesOverride'],
    workloadRef: undefined,
    selector: {},
    approval: { decision: 'Approved', by: 'mara' }
  })

  t.match(auditOf({ main: bad, input: { exemptions: [exemption] } }), {
    violations: [],
    exempt: [{ rule: 'VisibleDevicesOverride', exemption: 'load-test' }]
  })
})
