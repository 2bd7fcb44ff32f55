import { inEveryList, type JudgedSpec, testRule } from '../../build/isolation.ts'

function mounting(...paths: readonly string[]): JudgedSpec {
  return {
    main: {
      volumeMounts: paths.map((_, index) => ({ name: `v${index}`, mountPath: `/m${index}`, readOnly: true }))
    },
    spec: { volumes: paths.map((path, index) => ({ name: `v${index}`, hostPath: { path } })) }
  }
}

testRule('HostDevicePath', [
  {
    name: '[RULE20] device files, all in one breach',
    ...mounting('/dev/nvidia0', '//dev/./nvidia-uvm'),
    says: ['mounts volume "v0" ("/dev/nvidia0"), volume "v1" ("//dev/./nvidia-uvm"), a path to devices']
  },
  { name: '[RULE20] read-only is no excuse', ...mounting('/dev'), says: [/"\/dev"/] },
  {
    name: '[RULE20] a volume that nobody mounts',
    spec: { volumes: [{ name: 'v', hostPath: { path: '/dev' } }] },
    says: [/the pod has volume "v" \("\/dev"\)/]
  },
  {
    name: '[RULE20] an honest folder',
    ...mounting('/srv/data', '/dev/infiniband', '/var/log/pods', '/dev/null')
  },
  { name: '[RULE21] kubelet is for another rule', ...mounting('/var/lib/kubelet') },
  {
    name: '[RULE20] the part that is mounted',
    main: {
      volumeMounts: [
        { name: 'v', mountPath: '/m', subPath: 'kubelet/plugins' },
        { name: 'v', mountPath: '/n', subPath: 'x' }
      ]
    },
    spec: { volumes: [{ name: 'v', hostPath: { path: '/srv' } }] }
  },
  {
    name: '[RULE20] an inline CSI volume',
    spec: {
      volumes: [{ name: 'v', csi: { driver: 'dir.example', volumeAttributes: { opts: 'ro,source=/dev' } } }]
    },
    says: [/volume "v" \("dir\.example" "\/dev"\)/]
  },
  {
    name: '[RULE20] a Flex volume',
    spec: { volumes: [{ name: 'v', flexVolume: { driver: 'x/y', options: { path: '/dev/dri' } } }] },
    says: [/"\/dev\/dri"/]
  },
  {
    name: '[RULE20] an inline volume of remote storage',
    spec: { volumes: [{ name: 'v', csi: { driver: 'nfs.csi.k8s.io', volumeAttributes: { share: '/' } } }] }
  },
  {
    name: '[RULE20] other volumes',
    main: { volumeMounts: [{ name: 's', mountPath: '/dev/shm' }] },
    spec: {
      volumes: [
        { name: 's', emptyDir: { medium: 'Memory' } },
        { name: 'p', persistentVolumeClaim: { claimName: '/dev' } }
      ]
    }
  },
  ...inEveryList({ volumeMounts: [{ name: 'v', mountPath: '/m' }] }).map(({ where, spec, ...pod }) => ({
    name: `[RULE1] [RULE20] in a ${where}`,
    says: [/container ".+" mounts volume "v"/],
    ...pod,
    spec: { ...spec, volumes: [{ name: 'v', hostPath: { path: '/' } }] }
  }))
])
