import t from 'tap'
import { canonicalPath, cleanPath, hostReachOf } from '../../../src/core/rules/host-path.ts'

for (const [path, want] of [
  ['/dev//./nvidia0/', '/dev/nvidia0'],
  ['/a/../dev', '/dev'],
  ['/../../dev', '/dev'],
  ['dev/nvidia0', '/dev/nvidia0'],
  ['', '/'],
  ['/', '/']
] as const) {
  t.test(`[RULE20] ${JSON.stringify(path)} is cleaned`, async (t) => {
    t.equal(cleanPath(path), want)
  })
}

for (const [path, want] of [
  ['/var/run/x', '/run/x'],
  ['/proc/self/root/dev', '/'],
  ['/proc/1/root/srv', '/'],
  ['/proc/1/task/7/root', '/'],
  ['/proc/thread-self/cwd/x', '/'],
  ['/proc/42', '/'],
  ['/proc/driver/nvidia', '/proc/driver/nvidia'],
  ['/.bottlerocket/rootfs/dev', '/dev'],
  ['/sysroot/var/run', '/run'],
  ['/sysrooted', '/sysrooted']
] as const) {
  t.test(`[RULE20] ${path} is another name of ${want}`, async (t) => {
    t.equal(canonicalPath(path), want)
  })
}

t.test('[RULE20] however many names of the same place follow each other', async (t) => {
  const beforeMs = cpuMs()

  const canonical = canonicalPath(`${'/sysroot'.repeat(40_000)}/var/run`)

  t.equal(canonical, '/run')
  t.ok(cpuMs() - beforeMs < 1000, `${cpuMs() - beforeMs} ms`)
})

t.test('[RULE20] what is longer than any path that can be opened counts as one to devices', async (t) => {
  t.equal(hostReachOf(`/srv/${'x'.repeat(4091)}`), undefined)
  t.equal(hostReachOf(`/srv/${'x'.repeat(4092)}`), 'devices')
})

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const reaches: Readonly<Record<string, readonly string[]>> = {
  devices: [
    '/',
    '/dev',
    '/dev/nvidiactl',
    '/dev/nvidia-caps/x',
    '/dev/dri',
    '/proc',
    '/proc/driver',
    '/proc/driver/nvidia-caps',
    '/proc/1/fd/3',
    '/proc/self/root',
    '/sys',
    '/sys/bus/pci/devices/0000:01:00.0/resource0',
    '/run',
    '/run/nvidia',
    '/run/nvidia/driver/dev',
    '/tmp',
    '/tmp/nvidia-mps',
    '/etc',
    '/etc/cdi/x.yaml',
    '/var/run/docker.sock',
    '/run/containerd',
    '/var',
    '/run/k0s/containerd.sock',
    '/var/snap/microk8s/common/run/containerd.sock',
    '/run/systemd/private',
    '/run/dbus/system_bus_socket',
    '/etc/kubernetes/manifests'
  ],
  'plugin-socket': [
    '/var/lib',
    '/var/lib/kubelet',
    '/var/lib/kubelet/device-plugins/nvidia.sock',
    '/var/lib/rancher',
    '/var/lib/k0s/kubelet/plugins',
    '/opt/kubelet/device-plugins',
    '/mnt/stateful_partition/var/lib/kubelet'
  ],
  nothing: [
    '/var/lib/kubelet/pods',
    '/var/lib/docker',
    '/dev/shm',
    '/dev/null',
    '/dev/infiniband',
    '/devices',
    '/proc/sys',
    '/sys/fs/cgroup',
    '/tmp/.X11-unix',
    '/etc/localtime',
    '/etc/ssl/certs',
    '/var/log',
    '/home',
    '/srv/nvidia0',
    '/usr/local/nvidia'
  ]
}

for (const [want, paths] of Object.entries(reaches)) {
  t.test(`[RULE20] [RULE21] paths that lead to ${want}`, async (t) => {
    for (const path of paths) {
      for (const spelling of [path, `/${path}//`, `/x/..${path}/.`])
        t.equal(hostReachOf(spelling) ?? 'nothing', want, spelling)
    }
  })
}
