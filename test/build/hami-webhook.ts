import { fieldOf, isRecord, type JsonRecord, listOf, recordOf } from '../../src/core/json.ts'

const COUNT = 'nvidia.com/gpu'
const MEMORY = ['nvidia.com/gpumem', 'nvidia.com/gpumem-percentage']
const CORES = 'nvidia.com/gpucores'

/** From which HAMi on a GPU without memory is asked for as a GPU alone. */
export type HamiVersion = 'before exclusive cores' | 'with exclusive cores'

/**
 * What HAMi's mutating webhook makes of a pod, in its shipped configuration, and the API server of that: its scheduler, a GPU for who asks
 * for memory or compute alone, all of the compute for who asks for a GPU without memory, and requests that follow limits.
 * @source Project-HAMi/HAMi pkg/scheduler/webhook.go, pkg/device/nvidia/device.go
 */
export function throughHami(pod: JsonRecord, version: HamiVersion = 'with exclusive cores'): JsonRecord {
  const spec = recordOf(pod, 'spec') ?? {}
  const { schedulerName = 'default-scheduler' } = spec
  if (schedulerName !== 'default-scheduler' && schedulerName !== 'hami-scheduler') return pod
  const containers = listOf(spec, 'containers').map((container) => mutated(container, version))
  const hasGpu = containers.some((container) => fieldOf(limitsOf(container), COUNT) !== undefined)
  return {
    ...pod,
    spec: { ...spec, containers, ...(hasGpu ? { schedulerName: 'hami-scheduler' } : {}) }
  }
}

function mutated(container: unknown, version: HamiVersion): unknown {
  const limits = limitsOf(container)
  if (!isRecord(container) || limits === undefined) return container
  const asksForPart = [...MEMORY, CORES].some((name) => fieldOf(limits, name) !== undefined)
  const counted = asksForPart && fieldOf(limits, COUNT) === undefined ? { [COUNT]: '1' } : {}
  const hasGpu = asksForPart || fieldOf(limits, COUNT) !== undefined
  const alone = version === 'with exclusive cores' && hasGpu && !asksForPart ? { [CORES]: '100' } : {}
  const added = { ...counted, ...alone }
  const requests = fieldOf(fieldOf(container, 'resources'), 'requests')
  return {
    ...container,
    resources: {
      ...recordOf(container, 'resources'),
      limits: { ...limits, ...added },
      ...(isRecord(requests) ? { requests: { ...requests, ...added } } : {})
    }
  }
}

function limitsOf(container: unknown): JsonRecord | undefined {
  return recordOf(fieldOf(container, 'resources'), 'limits')
}
