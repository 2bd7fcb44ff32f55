import type { GpuPod } from '../../src/gather/gpu-pod.ts'

/** A pod as capacity is counted; by default one without a node that asks for one slice. */
export function aGpuPod(pod: Partial<GpuPod> = {}): GpuPod {
  const name = pod.name ?? 'pod-1'
  return {
    uid: `uid-${name}`,
    namespace: 'team-a',
    name,
    node: '',
    phase: 'Pending',
    group: '',
    requests: { 'nvidia.com/mig-1g.10gb': 1 },
    marks: {},
    ...pod
  }
}
