import type { Random } from './random.ts'
import { copyOf, isTree, listAt, type Tree, treeAt } from './tree.ts'

/** Largest object that an API server takes, bytes. @source k8s.io/apiserver pkg/server/config.go */
const LARGEST_BYTES = 3 * 1024 * 1024

/** How many of one thing at most. */
const MOST = 20_000

const gpu = { 'nvidia.com/gpu': '1' }

type Grower = (object: Tree, count: number, random: Random) => void

const growers: readonly [Grower, ...Grower[]] = [
  (object, count, random) => {
    const list = listAt(object, 'spec', random.pick(['containers', 'initContainers', 'ephemeralContainers']))
    const model = random.pick(list)
    const isAlike = random.once(2)
    const container = isTree(model) && !random.once(3) ? model : { resources: { limits: gpu, requests: gpu } }
    fill(list, count, (nth) => ({ ...container, name: isAlike ? 'main' : `c-${nth}` }))
  },
  (object, count, random) => {
    const list = listAt(firstContainer(object), 'env')
    const reference = random.pick(['x', '$(V0)', '$(V0)$(V0)', '$(NVIDIA_VISIBLE_DEVICES)'])
    const name = random.pick(['V', 'NVIDIA_VISIBLE_DEVICES', 'LD_PRELOAD'])
    fill(list, count, (nth) => ({ name: name === 'V' ? `V${nth}` : name, value: chained(reference, nth) }))
  },
  (object, count) => {
    fill(listAt(object, 'spec', 'volumes'), count, (nth) => ({
      name: `v-${nth}`,
      hostPath: { path: '/dev' }
    }))
    const mount = (nth: number): Tree => ({ name: `v-${nth}`, mountPath: `/m/${nth}`, subPath: 'nvidia0' })
    fill(listAt(firstContainer(object), 'volumeMounts'), count, mount)
  },
  (object, count) => {
    fill(listAt(object, 'spec', 'tolerations'), count, (nth) => ({ key: `k-${nth}`, operator: 'Exists' }))
  },
  (object, count, random) => {
    const required = treeAt(
      object,
      'spec',
      'affinity',
      'nodeAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution'
    )
    const expression = (nth: number): Tree => ({ key: 'pool', operator: 'In', values: ['a', `p-${nth}`] })
    if (random.once(2)) {
      fill(listAt(required, 'nodeSelectorTerms'), count, (nth) => ({ matchExpressions: [expression(nth)] }))
    } else {
      const term: Tree = {}
      listAt(required, 'nodeSelectorTerms').push(term)
      fill(listAt(term, 'matchExpressions'), count, expression)
    }
  },
  (object, count, random) => {
    const prefix = random.pick(['cdi.k8s.io/', 'rightslice.dev/', 'example.com/', ''])
    const map = treeAt(object, 'metadata', random.pick(['annotations', 'labels']))
    for (let nth = 0; nth < count; nth += 1) map[`${prefix}k-${nth}`] = 'v'
  },
  (object, count, random) => {
    const map = treeAt(firstContainer(object), 'resources', 'limits')
    const prefix = random.pick(['nvidia.com/mig-1g.', 'example.com/', 'nvidia.com/'])
    for (let nth = 0; nth < count; nth += 1) map[`${prefix}${nth}gb`] = '1'
  },
  (object, count) => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app', uid: 'u', controller: true }
    fill(listAt(object, 'metadata', 'ownerReferences'), count, () => ({ ...owner }))
  },
  (object, count, random) => {
    const step = random.pick(['/sysroot', '/..', '/./', '/proc/self', '/var/run', '/kubelet', '//', '/dev/x'])
    const path = step.repeat(Math.floor((count * 100) / step.length))
    listAt(object, 'spec', 'volumes').push({ name: 'long', hostPath: { path } })
    listAt(firstContainer(object), 'volumeMounts').push({ name: 'long', mountPath: '/m', subPath: path })
  },
  (object, count, random) => {
    const texts = Object.fromEntries(
      Array.from({ length: Math.min(count, 20_000) }, (_, nth) => [`k-${nth}`, `/p-${nth}`])
    )
    listAt(object, 'spec', 'volumes').push({ name: 'inline', csi: { driver: 'd', volumeAttributes: texts } })
    const isAlike = random.once(2)
    const subPath = (nth: number): string => (isAlike ? 'a' : `s-${nth}`)
    const mount = (nth: number): Tree => ({ name: 'inline', mountPath: `/m/${nth}`, subPath: subPath(nth) })
    fill(listAt(firstContainer(object), 'volumeMounts'), count, mount)
  },
  (object, count) => {
    const workers = listAt(object, 'spec', 'workerGroupSpecs')
    const template = copyOf(object.spec)
    const size = JSON.stringify(template)?.length ?? 0
    fill(workers, Math.min(count, Math.floor(LARGEST_BYTES / (size + 64))), (nth) => ({
      groupName: `g-${nth}`,
      template: { spec: template }
    }))
    object.kind = 'RayCluster'
  }
]

/** Makes one thing of the pod very many, up to the size that an API server takes. */
export function growPod(object: Tree, random: Random): void {
  random.pick(growers)(object, random.length(MOST), random)
}

function firstContainer(object: Tree): Tree {
  const list = listAt(object, 'spec', 'containers')
  const [first] = list
  if (isTree(first)) return first
  const made: Tree = { name: 'main' }
  list.unshift(made)
  return made
}

/** Variables that refer to the one before them, as `$(V0)` says. */
function chained(reference: string, nth: number): string {
  return nth === 0 ? 'all' : reference.replaceAll('V0', `V${nth - 1}`)
}

/** Adds so many entries, as long as there is room for them in an object. */
function fill(list: unknown[], count: number, make: (nth: number) => Tree): void {
  const each = JSON.stringify(make(0)).length + 8
  const most = Math.min(count, Math.floor(LARGEST_BYTES / 2 / each))
  for (let nth = 0; nth < most; nth += 1) list.push(make(nth))
}
