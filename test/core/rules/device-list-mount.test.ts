import { inEveryList, testRule } from '../../build/isolation.ts'

testRule('DeviceListMount', [
  ...[
    '/var/run/nvidia-container-devices/all',
    '/run/nvidia-container-devices',
    '//var/./run/x/../nvidia-container-devices/0'
  ].map((mountPath) => ({
    name: `[RULE19] ${mountPath}`,
    main: { volumeMounts: [{ name: 'v', mountPath }] },
    says: [/mounts volume "v" at ".+", a path that names GPUs/]
  })),
  ...['/var/run', '/var/run/secrets', '/data/var/run/nvidia-container-devices'].map((mountPath) => ({
    name: `[RULE19] ${mountPath} is free`,
    main: { volumeMounts: [{ name: 'v', mountPath }] }
  })),
  ...inEveryList({ volumeMounts: [{ name: 'v', mountPath: '/var/run/nvidia-container-devices/0' }] }).map(
    ({ where, ...pod }) => ({ name: `[RULE1] [RULE19] in a ${where}`, says: [/names GPUs/], ...pod })
  )
])
