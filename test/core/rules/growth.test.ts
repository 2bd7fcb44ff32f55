import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { judgeIsolation } from '../../../src/core/rules/verdict.ts'
import { growthOf, MOST_GROWTH } from '../../build/growth.ts'
import { aJudgedPod, anIsolationInput, asking, type JudgedSpec } from '../../build/isolation.ts'

function many<T>(count: number, make: (nth: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, nth) => make(nth))
}

function mapOf<T>(count: number, entry: (nth: number) => readonly [key: string, value: T]) {
  return Object.fromEntries(many(count, entry))
}

function mounts(count: number): readonly JsonRecord[] {
  return many(count, (nth) => ({ name: 'v', mountPath: '/m', subPath: `s-${nth}` }))
}

function inline(volumeAttributes: JsonRecord): JsonRecord {
  return { name: 'v', csi: { driver: 'd', volumeAttributes } }
}

const gpus = (count: number) => many(count, (nth) => ({ name: `c-${nth}`, ...asking('nvidia.com/gpu') }))
const isolationRules = { NamedProfileNotAllowed: 'Enforce' } as const

/** Pods of which two things are many at once, or one text is long, by how many of each there are. */
const pods: readonly {
  readonly name: string
  readonly size: number
  readonly make: (size: number) => JudgedSpec
}[] = [
  {
    name: '[RULE14] beginnings of references in variables',
    size: 1000,
    make: (size) => ({ main: { env: many(64, () => ({ name: 'A', value: '$('.repeat(size / 2) })) } })
  },
  {
    name: '[RULE22] a key that says the mark of a container again and again',
    size: 3000,
    make: (size) => ({
      metadata: { annotations: { [`cdi.k8s.io/${'/container.'.repeat(size)}\n`]: 'x' } }
    })
  },
  {
    name: '[RULE22] keys that name containers, and containers',
    size: 1000,
    make: (size) => ({
      metadata: { annotations: mapOf(size, (nth) => [`cdi.k8s.io/container.none-${nth}`, 'x']) },
      spec: { initContainers: many(size, (nth) => ({ name: `c-${nth}` })) }
    })
  },
  {
    name: '[RULE20] a path without end, and its mounts',
    size: 1000,
    make: (size) => ({
      main: { volumeMounts: mounts(size) },
      spec: { volumes: [{ name: 'v', hostPath: { path: '/a'.repeat(50 * size) } }] }
    })
  },
  {
    name: '[RULE21] paths to sockets of one volume, and its mounts',
    size: 500,
    make: (size) => ({
      main: { volumeMounts: mounts(size) },
      spec: { volumes: [inline(mapOf(size, (nth) => [`k-${nth}`, `/kubelet/plugins/${nth}`]))] }
    })
  },
  {
    name: '[RULE20] one path named again and again, and its mounts',
    size: 500,
    make: (size) => ({
      main: { volumeMounts: mounts(size) },
      spec: { volumes: [inline({ paths: '/a '.repeat(size) })] }
    })
  },
  {
    name: '[RULE20] paths below one another, and parts below one another',
    size: 100,
    make: (size) => ({
      main: {
        volumeMounts: many(size, (nth) => ({ name: 'v', mountPath: '/m', subPath: `a${'/a'.repeat(nth)}` }))
      },
      spec: { volumes: [inline(mapOf(size, (nth) => [`k-${nth}`, `/a${'/a'.repeat(nth)}`]))] }
    })
  },
  {
    name: '[RULE6] containers that debug, before and after',
    size: 1000,
    make: (size) => {
      const env = [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }]
      const before = { spec: { ephemeralContainers: many(size, (nth) => ({ name: `old-${nth}` })) } }
      return {
        spec: { ephemeralContainers: many(size, (nth) => ({ name: `new-${nth}`, env })) },
        input: {
          operation: 'UPDATE',
          subResource: 'ephemeralcontainers',
          before: anIsolationInput({ raw: before }).security
        }
      }
    }
  },
  {
    name: '[RULE9] labels of nodes, and containers',
    size: 500,
    make: (size) => ({
      spec: {
        initContainers: gpus(size),
        nodeSelector: { ...mapOf(size, (nth) => [`k-${nth}`, 'v']), 'nvidia.com/gpu.sharing-strategy': 'mps' }
      }
    })
  },
  {
    name: '[RULE10] a long label of nodes, and containers',
    size: 500,
    make: (size) => ({
      spec: {
        initContainers: gpus(size),
        nodeSelector: { 'nvidia.com/gpu.product': 'x-MI'.repeat(100 * size) }
      },
      policies: [{ mig: { allowedProfiles: [] }, isolationRules }]
    })
  }
]

for (const { name, size, make } of pods) {
  t.test(`work grows with the pod: ${name}`, async (t) => {
    const judge = (judged: JudgedSpec): unknown => judgeIsolation(anIsolationInput(judged))
    const made = (many: number): JudgedSpec => {
      const judged = make(many)
      return { ...judged, raw: aJudgedPod(judged) }
    }

    const growth = growthOf(size, made, judge)

    t.ok(growth < MOST_GROWTH, `${growth} times the work for four times the pod`)
  })
}

t.test('[RULE16] what a pod takes by references grows with the pod', async (t) => {
  const lengthOf = (count: number): number => {
    const env = [
      { name: 'A', value: '/a:'.repeat(1300) },
      ...many(count, () => ({ name: 'LD_PRELOAD', value: '$(A)' }))
    ]
    const { security } = anIsolationInput({ main: { env } })
    const entries = security.containers.flatMap((container) => container.env)
    return entries.reduce((sum, { content }) => sum + (content.kind === 'text' ? content.text.length : 0), 0)
  }

  t.equal(lengthOf(400), lengthOf(100))
})
