import t from 'tap'
import { readSecurity } from '../../../src/core/pod/security-view.ts'

t.test('[RULE1] three container lists are read, init containers first', async (t) => {
  const spec = {
    containers: [
      { name: 'c', securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN', 7] } } }
    ],
    initContainers: [{ name: 'i', restartPolicy: 'Always' }],
    ephemeralContainers: [{ name: 'e' }]
  }

  const { containers } = readSecurity({ spec })

  t.strictSame(
    containers.map(({ list, name, privileged }) => [list, name, privileged]),
    [
      ['initContainers', 'i', false],
      ['containers', 'c', true],
      ['ephemeralContainers', 'e', false]
    ]
  )
  t.strictSame(containers[1]?.addedCapabilities, ['SYS_ADMIN'])
})

t.test('[RULE1] fields of another type count as missing', async (t) => {
  const odd = {
    name: 5,
    env: {},
    envFrom: 'x',
    volumeMounts: [1],
    resources: [],
    securityContext: { privileged: 1 }
  }

  const view = readSecurity({
    metadata: { annotations: [], labels: 'x' },
    spec: {
      containers: [odd],
      hostPID: 'true',
      hostIPC: 1,
      volumes: [null, { hostPath: 'x' }],
      resourceClaims: {}
    }
  })

  t.match(view, {
    hostPid: false,
    hostIpc: false,
    usesClaims: false,
    hostVolumes: [],
    annotations: {},
    labels: {}
  })
  t.match(view.containers, [{ name: '', privileged: false, env: [], unseenPrefixes: [], limits: undefined }])
  t.strictSame(view.containers[0]?.mounts, [{ volume: '', mountPath: '', subPath: '' }])
})

t.test('[RULE20] volumes that may reach the host, with the paths that they name', async (t) => {
  const volumes = [
    { name: 'h', hostPath: { path: '/dev' } },
    { name: 'c', csi: { driver: 'd', volumeAttributes: { a: 'x', b: 'ro,src=/a:/b', c: 7 } } },
    { name: 'f', flexVolume: { driver: 'v/f', options: { p: '/c /d' } } },
    { name: 'e', emptyDir: {} },
    { name: 'n', csi: {} }
  ]

  t.strictSame(readSecurity({ spec: { volumes } }).hostVolumes, [
    { name: 'h', source: 'hostPath', paths: ['/dev'] },
    { name: 'c', source: 'd', paths: ['/a', '/b'] },
    { name: 'f', source: 'v/f', paths: ['/c', '/d'] }
  ])
})

t.test('a part that was read is kept', async (t) => {
  const [container] = readSecurity({
    spec: { containers: [{ env: [{ name: 'A' }], volumeMounts: [{ name: 'v', subPathExpr: 'p' }] }] }
  }).containers

  t.equal(container?.env, container?.env)
  t.equal(container?.mounts, container?.mounts)
  t.strictSame(container?.mounts, [{ volume: 'v', mountPath: '', subPath: 'p' }])
})
