import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { breachLine } from '../../../src/core/rules/tell.ts'
import { verdictOn } from '../../build/isolation.ts'

/** Lines of rule HostDevicePath about a pod, and the CPU that judging it took, ms. */
function judged(volumes: readonly JsonRecord[], volumeMounts: readonly JsonRecord[]) {
  const before = process.cpuUsage()
  const verdict = verdictOn({ main: { volumeMounts }, spec: { volumes } })
  const { user, system } = process.cpuUsage(before)
  const breaches = verdict.kind === 'judged' ? [...verdict.refused, ...verdict.warned] : []
  const lines = breaches.filter(({ rule }) => rule === 'HostDevicePath').map(breachLine)
  return { lines, cpuMs: (user + system) / 1000 }
}

function many<T>(count: number, make: (nth: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, nth) => make(nth))
}

/** An inline volume whose attributes are paths of the host. */
function inline(paths: number): JsonRecord {
  const volumeAttributes = Object.fromEntries(many(paths, (nth) => [`k-${nth}`, `/p-${nth}`]))
  return { name: 'v', csi: { driver: 'd', volumeAttributes } }
}

const MANY = 20_000

for (const { name, volumes, mounts } of [
  {
    name: 'volumes with a mount each',
    volumes: many(MANY, (nth) => ({ name: `v-${nth}`, hostPath: { path: '/dev' } })),
    mounts: many(MANY, (nth) => ({ name: `v-${nth}`, mountPath: '/m' }))
  },
  {
    name: 'volumes of one name, mounted as often',
    volumes: many(MANY, () => ({ name: 'v', hostPath: { path: '/dev' } })),
    mounts: many(MANY, (nth) => ({ name: 'v', mountPath: '/m', subPath: `s-${nth}` }))
  },
  {
    name: 'paths of one volume, mounted in as many parts',
    volumes: [inline(MANY)],
    mounts: many(MANY, (nth) => ({ name: 'v', mountPath: '/m', subPath: `s-${nth}` }))
  },
  {
    name: 'paths of one volume, mounted in one part as often',
    volumes: [inline(MANY)],
    mounts: many(MANY, () => ({ name: 'v', mountPath: '/m', subPath: 's' }))
  }
]) {
  t.test(`[RULE20] time bound: ${MANY} ${name}, are judged in a moment`, async (t) => {
    const { lines, cpuMs } = judged(volumes, mounts)

    t.match(lines, [/^\[HostDevicePath\] container "main" mounts volume "v/])
    t.ok(cpuMs < 1500, `${cpuMs} ms`)
  })
}

t.test(
  '[RULE20] of a volume 2,000 parts are looked at, and what is mounted beyond them counts',
  async (t) => {
    const volumes = [{ name: 'v', hostPath: { path: '/srv' } }]
    const parts = many(2001, (nth) => ({ name: 'v', mountPath: '/m', subPath: `s-${nth}` }))

    t.strictSame(judged(volumes, parts.slice(1)).lines, [])
    t.match(judged(volumes, parts).lines, [/mounts volume "v" \("\/srv\/s-2000"\)/])
  }
)
