/** What a path of the host leads to. */
export type HostReach = 'devices' | 'plugin-socket'

/** A path without empty, `.` and `..` steps; one that does not start with `/` is read from the root, as kubelet does. */
export function cleanPath(path: string): string {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..') steps.pop()
    else steps.push(step)
  }
  return `/${steps.join('/')}`
}

/** Names under which a host's root or a part of it is seen again. @source Bottlerocket, Container-Optimized OS, OSTree file systems */
const roots = /^\/(?:\.bottlerocket\/rootfs|mnt\/stateful_partition|sysroot)(?=\/|$)/

/** Through a process of the host one sees its root, its open files and its working directory: anything. */
const processFolder = /^\/proc\/(?:self|thread-self|\d+)(?:\/.*)?$/

/** The cleaned path with other names of the same place replaced: `/var/run/nvidia` is `/run/nvidia`. */
export function canonicalPath(path: string): string {
  let canonical = cleanPath(path)
  for (let before = ''; before !== canonical; ) {
    before = canonical
    canonical = cleanPath(
      canonical
        .replace(processFolder, '')
        .replace(roots, '')
        .replace(/^\/var\/run(?=\/|$)/, '/run')
    )
  }
  return canonical
}

interface Forbidden {
  readonly reach: HostReach
  readonly path: string
  /** Whether names that only start so are meant too: `/dev/nvidia` stands for `/dev/nvidia0`. */
  readonly open?: true
}

const start = (path: string): Forbidden => ({ reach: 'devices', path, open: true })
const folder = (path: string): Forbidden => ({ reach: 'devices', path })

/** @source Kubernetes device plugins; k3s, RKE2, k0s, MicroK8s documentation on where kubelet lives */
const kubeletFolders = [
  '/var/lib/kubelet',
  '/var/lib/k0s/kubelet',
  '/var/lib/rancher/k3s/agent/kubelet',
  '/var/lib/rancher/rke2/agent/kubelet',
  '/var/snap/microk8s/common/var/lib/kubelet'
]

/**
 * Paths of a host through which GPUs are reached beside the device plugin. Whatever lies below one, and every folder
 * above one, is forbidden as well.
 * @source NVIDIA container toolkit, k8s-device-plugin (MPS), containerd, CRI-O, Docker documentation
 */
const forbidden: readonly Forbidden[] = [
  start('/dev/nvidia'),
  start('/dev/nvhost'),
  start('/dev/nvmap'),
  folder('/dev/dri'),
  folder('/dev/vfio'),
  folder('/dev/char'),
  folder('/dev/fd'),
  folder('/dev/mem'),
  start('/proc/driver/nvidia'),
  folder('/sys/bus/pci'),
  folder('/sys/devices'),
  folder('/sys/class/drm'),
  start('/run/nvidia'),
  start('/tmp/nvidia-mps'),
  folder('/run/cdi'),
  folder('/etc/cdi'),
  folder('/etc/nvidia-container-runtime'),
  folder('/run/containerd'),
  folder('/run/k3s/containerd'),
  start('/run/docker'),
  folder('/run/crio'),
  start('/run/cri-dockerd'),
  folder('/run/podman'),
  ...kubeletFolders.flatMap((path) =>
    ['device-plugins', 'plugins', 'plugins_registry', 'pod-resources'].map(
      (name): Forbidden => ({ reach: 'plugin-socket', path: `${path}/${name}` })
    )
  )
]

/** Any folder `kubelet` is taken for that of a kubelet, wherever it was put. */
const someKubelet = /\/kubelet\/(?:device-plugins|plugins|plugins_registry|pod-resources)(?:\/|$)/

/** What a path of the host leads to that no tenant may reach; undefined when it leads to nothing of the kind. */
export function hostReachOf(path: string): HostReach | undefined {
  const canonical = canonicalPath(path)
  const found = forbidden.find((entry) => touches(canonical, entry))
  if (found !== undefined) return found.reach
  return someKubelet.test(canonical) ? 'plugin-socket' : undefined
}

function touches(path: string, { path: target, open }: Forbidden): boolean {
  if (path === '/' || path === target || target.startsWith(`${path}/`)) return true
  return open === true ? path.startsWith(target) : path.startsWith(`${target}/`)
}
