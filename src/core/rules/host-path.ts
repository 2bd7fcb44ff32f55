/** What a path of the host leads to. */
export type HostReach = 'devices' | 'plugin-socket'

/** Most paths: nothing in them is to be cleaned. */
const clean = /^(?:\/[^/.][^/]*)+$/

/** A path without empty, `.` and `..` steps; one that does not start with `/` is read from the root, as kubelet does. */
export function cleanPath(path: string): string {
  if (clean.test(path)) return path
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..') steps.pop()
    else steps.push(step)
  }
  return `/${steps.join('/')}`
}

/** Names under which a host's root or a part of it is seen again, as many of them as follow each other. @source Bottlerocket, Container-Optimized OS, OSTree file systems */
const roots = /^(?:\/(?:\.bottlerocket\/rootfs|mnt\/stateful_partition|sysroot)(?=\/|$))+/

/** Through a process of the host one sees its root, its open files and its working directory: anything. */
const processFolder = /^\/proc\/(?:self|thread-self|\d+)(?:\/.*)?$/

/** The cleaned path with other names of the same place replaced: `/var/run/nvidia` is `/run/nvidia`. */
export function canonicalPath(path: string): string {
  const cleaned = cleanPath(path)
  const renamed = cleaned
    .replace(processFolder, '')
    .replace(roots, '')
    .replace(/^\/var\/run(?=\/|$)/, '/run')
  return renamed === cleaned ? cleaned : canonicalPath(renamed)
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

/** Where kubelet and plugins meet, below its folder. */
const socketFolders = ['device-plugins', 'plugins', 'plugins_registry', 'pod-resources'] as const

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
  folder('/run/host-containerd'),
  folder('/run/k0s'),
  folder('/var/snap/microk8s/common/run'),
  folder('/run/systemd'),
  folder('/run/dbus'),
  folder('/etc/kubernetes'),
  ...kubeletFolders.flatMap((path) =>
    socketFolders.map((name): Forbidden => ({ reach: 'plugin-socket', path: `${path}/${name}` }))
  )
]

/** Any folder `kubelet` is taken for that of a kubelet, wherever it was put. */
const someKubelet = new RegExp(`/kubelet/(?:${socketFolders.join('|')})(?:/|$)`)

/** Longest path that any system opens, characters. @source Linux, PATH_MAX */
const MAX_PATH = 4096

/** Whether a path is longer than any that can be opened as it is; what it becomes when somebody cleans it is not worth the time. */
export function isEndlessPath(path: string): boolean {
  return path.length > MAX_PATH
}

/**
 * What a path of the host leads to that no tenant may reach; undefined when it leads to nothing of the kind. An endless one counts as
 * one to devices.
 */
export function hostReachOf(path: string): HostReach | undefined {
  if (isEndlessPath(path)) return 'devices'
  const canonical = canonicalPath(path)
  const found = forbidden.find((entry) => touches(canonical, entry))
  if (found !== undefined) return found.reach
  return someKubelet.test(canonical) ? 'plugin-socket' : undefined
}

/** Between two names of a path that is not cleaned. */
const SEPARATOR = String.raw`/+(?:\./+)*`

/** Where a path stands: by itself, or among others in one text. */
interface Surrounding {
  readonly start: string
  readonly end: string
  /** Whatever may follow below a folder. */
  readonly below: string
}

const alone: Surrounding = { start: '^', end: '$', below: '.*' }
const among: Surrounding = {
  start: String.raw`(?:^|[\s,;=:])`,
  end: String.raw`(?:$|[\s,;=:])`,
  below: String.raw`[^\s,;=:]*`
}

/**
 * `hostReachOf` as one regular expression, which RE2 reads too, for paths without `..`.
 * @param inText for a path that begins with a slash anywhere in a text, between blanks, commas, colons and the like
 */
export function hostPathPattern(reach: HostReach, { inText = false } = {}): string {
  const { start, end, below } = inText ? among : alone
  const first = inText ? SEPARATOR : String.raw`/*(?:\./+)*`
  const close = String.raw`(?:/+\.)*/*${end}`
  const named = forbidden
    .filter((entry) => entry.reach === reach)
    .map(({ path, open }) => {
      const [head = '', ...rest] = path.split('/').filter((name) => name !== '')
      const tail = open === true ? below : `(?:${close}|/${below})`
      return nested(
        [head === 'run' ? `(?:var${SEPARATOR})?run` : literal(head), ...rest.map(literal)],
        close,
        tail
      )
    })
  const ways = reach === 'devices' ? [processPattern(close, below), ...named] : named
  const roots = `(?:${rootNames.join('|')})`
  const seenAgain = `(?:${roots}${SEPARATOR})*`
  const root = `${start}${first}${seenAgain}(?:${roots}${close}|[.]?${end})`
  const someFolder = inText ? `/(?:${below}/)?` : `(?:${below}/)?`
  const kubelet = `${start}${someFolder}kubelet${SEPARATOR}(?:${socketFolders.join('|')})(?:/|${end})`
  const anywhere = reach === 'devices' ? root : kubelet
  return `${start}${first}${seenAgain}(?:${ways.join('|')})|${anywhere}`
}

const literal = (name: string): string => name.replaceAll('.', '[.]')
const rootNames = [`[.]bottlerocket${SEPARATOR}rootfs`, `mnt${SEPARATOR}stateful_partition`, 'sysroot']

/** Each folder above the last name by itself, and the last name with what may follow it. */
function nested(names: readonly string[], close: string, tail: string): string {
  const [name = '', ...rest] = names
  return rest.length === 0 ? `${name}${tail}` : `${name}(?:${close}|${SEPARATOR}${nested(rest, close, tail)})`
}

function processPattern(close: string, below: string): string {
  return `proc${SEPARATOR}(?:self|thread-self|[0-9]+)(?:${close}|/${below})`
}

function touches(path: string, { path: target, open }: Forbidden): boolean {
  if (path === '/' || path === target || target.startsWith(`${path}/`)) return true
  return open === true ? path.startsWith(target) : path.startsWith(`${target}/`)
}
