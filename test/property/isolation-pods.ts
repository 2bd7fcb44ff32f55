import fc from 'fast-check'
import type { JsonRecord } from '../../src/core/json.ts'

/** Values of one place in a pod: those that keep every rule, and those that may break one. */
function some(
  honest: readonly JsonRecord[],
  bad: readonly JsonRecord[],
  isHonest: boolean
): fc.Arbitrary<JsonRecord> {
  return fc.constantFrom(...honest, ...(isHonest ? [] : bad))
}

/** Pods that keep every rule, or that keep or break any of them. */
export function somePods(isHonest: boolean) {
  const resources = some(
    [
      {},
      { limits: { cpu: '1', memory: '1Gi' } },
      { limits: { 'nvidia.com/mig-1g.10gb': 1 } },
      { claims: [{ name: 'gpu' }] }
    ],
    [
      { limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } },
      { limits: { 'nvidia.com/gpu.shared': '2' } }
    ],
    isHonest
  )
  const env = some(
    [
      { name: 'A', value: 'x' },
      { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
      { name: 'NVIDIA_VISIBLE_DEVICES', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'LD_PRELOAD', value: '/usr/lib/libjemalloc.so' },
      { name: 'B', value: '$(A)$(A)' }
    ],
    [
      { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' },
      { name: 'LD_PRELOAD', value: './x.so' }
    ],
    isHonest
  )
  const mounts = some(
    [
      { name: 'v', mountPath: '/data' },
      { name: 'v', mountPath: '/m', subPath: 'dev' }
    ],
    [{ name: 'v', mountPath: '/var/run/nvidia-container-devices/0' }],
    isHonest
  )
  const container = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    image: fc.constant('registry.example/app:1'),
    resources,
    env: fc.array(env, { maxLength: 3 }),
    volumeMounts: fc.array(mounts, { maxLength: 2 }),
    securityContext: some([{}, { privileged: false }], [{ privileged: true }], isHonest)
  })
  const volumes = some(
    [
      { name: 'v', emptyDir: {} },
      { name: 'v', hostPath: { path: '/srv' } }
    ],
    [
      { name: 'v', hostPath: { path: '/' } },
      { name: 'v', csi: { driver: 'd', volumeAttributes: { path: '/dev' } } }
    ],
    isHonest
  )
  const host = fc.constantFrom<Record<string, unknown>>(
    {},
    { runtimeClassName: 'kata' },
    ...(isHonest
      ? []
      : [{ hostPID: true }, { hostIPC: true }, { runtimeClassName: 'other' }, { nodeName: 'n' }])
  )
  const spec = fc.record({
    containers: fc.array(container, { minLength: 1, maxLength: 3 }),
    initContainers: fc.array(container, { maxLength: 2 }),
    ephemeralContainers: fc.array(container, { maxLength: 1 }),
    volumes: fc.array(volumes, { maxLength: 1 })
  })
  return fc.record({
    metadata: fc.record({
      name: fc.constant('app'),
      annotations: some([{}, { team: 'a' }], [{ 'cdi.k8s.io/x': 'y' }, { 'gpu-fraction': '0.5' }], isHonest),
      labels: fc.constantFrom<JsonRecord>({}, { app: 'a' })
    }),
    spec: fc.tuple(spec, host).map(([own, extra]): JsonRecord => ({ ...own, ...extra }))
  })
}
