import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import {
  claimsOf,
  readHostPersistentVolume,
  withClaimedVolumes
} from '../../../src/core/pod/persistent-volume.ts'
import { readSecurity } from '../../../src/core/pod/security-view.ts'

function aVolume(spec: JsonRecord, change: JsonRecord = {}): JsonRecord {
  const claimRef = { namespace: 'team-a', name: 'data' }
  return { metadata: { name: 'pv-1' }, spec: { claimRef, ...spec }, status: { phase: 'Bound' }, ...change }
}

const host = { hostPath: { path: '/dev' } }

for (const { name, raw, want } of [
  { name: 'hostPath', raw: aVolume(host), want: 'hostPath /dev' },
  { name: 'local', raw: aVolume({ local: { path: '/mnt/disk' } }), want: 'local /mnt/disk' },
  {
    name: 'Flex',
    raw: aVolume({ flexVolume: { driver: 'x/bind', options: { source: '/dev,ro' } } }),
    want: 'x/bind /dev'
  },
  {
    name: 'CSI, by attributes and handle',
    raw: aVolume({
      csi: { driver: 'bind.example', volumeHandle: '/run', volumeAttributes: { a: 'x=/dev', b: 'y' } }
    }),
    want: 'bind.example /run /dev'
  },
  {
    name: 'CSI whose volumes lie elsewhere',
    raw: aVolume({ csi: { driver: 'rook-ceph.cephfs.csi.ceph.com', volumeAttributes: { rootPath: '/' } } })
  },
  {
    name: 'CSI whose handle holds a path of a server',
    raw: aVolume({ csi: { driver: 'csi.example', volumeHandle: 'fs-1:/' } })
  },
  { name: 'a disk of a cloud', raw: aVolume({ awsElasticBlockStore: { volumeID: 'v' } }) },
  { name: 'not bound', raw: aVolume(host, { status: { phase: 'Released' } }) },
  { name: 'of nobody', raw: { spec: host, status: { phase: 'Bound' } } },
  { name: 'no object', raw: null }
]) {
  t.test(`[RULE43] a PersistentVolume: ${name}`, async (t) => {
    const read = readHostPersistentVolume(raw)

    t.equal(read && [read.source, ...read.paths].join(' '), want)
    if (read !== undefined) t.strictSame(read.claim, { namespace: 'team-a', name: 'data' })
  })
}

t.test('[RULE43] the claims of a pod', async (t) => {
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'b', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'c', emptyDir: {} }
  ]

  t.strictSame(claimsOf({ metadata: { name: 'app-0' }, spec: { volumes } }), [
    { volume: 'a', claim: 'data' },
    { volume: 'b', claim: 'app-0-b' }
  ])
  t.strictSame(claimsOf('x'), [])
})

t.test('[RULE43] what a claim leads to is a volume of the pod', async (t) => {
  const security = readSecurity({ spec: { volumes: [{ name: 'h', hostPath: { path: '/opt' } }] } })
  const claims = [
    { volume: 'a', claim: 'data' },
    { volume: 'b', claim: 'other' }
  ]
  const found = readHostPersistentVolume(aVolume(host))

  const seen = withClaimedVolumes(security, claims, (claim) => (claim === 'data' ? found : undefined))

  t.strictSame(seen.hostVolumes, [
    { name: 'h', source: 'hostPath', paths: ['/opt'] },
    { name: 'a', source: 'hostPath', paths: ['/dev'], claim: 'data' }
  ])
  t.equal(
    withClaimedVolumes(security, claims, () => undefined),
    security
  )
})
