import { testRule } from '../../build/isolation.ts'

testRule('PluginSocketPath', [
  ...[
    '/var/lib/kubelet/device-plugins',
    '/var/lib/kubelet',
    '/var/lib/kubelet/pod-resources/kubelet.sock',
    '/srv/kubelet/plugins_registry'
  ].map((path) => ({
    name: `[RULE21] ${path}`,
    main: { volumeMounts: [{ name: 'v', mountPath: '/m', readOnly: true }] },
    spec: { volumes: [{ name: 'v', hostPath: { path } }] },
    says: [/container "main" mounts volume "v" .*sockets of kubelet/]
  })),
  {
    name: '[RULE21] the part that is mounted',
    main: { volumeMounts: [{ name: 'v', mountPath: '/m', subPathExpr: 'kubelet/plugins' }] },
    spec: { volumes: [{ name: 'v', hostPath: { path: '/srv' } }] },
    says: [/"\/srv\/kubelet\/plugins"/]
  },
  {
    name: '[RULE21] pods of kubelet',
    main: { volumeMounts: [{ name: 'v', mountPath: '/m' }] },
    spec: { volumes: [{ name: 'v', hostPath: { path: '/var/lib/kubelet/pods' } }] }
  },
  {
    name: '[RULE20] the root is for another rule',
    spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] }
  }
])
