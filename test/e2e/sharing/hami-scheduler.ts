import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import type { JsonRecord } from '../../../src/core/json.ts'
import { bodyOf, MERGE_PATCH } from '../../bed/api-client.ts'
import { findBinaries } from '../../bed/binaries.ts'
import { watchOver } from '../../bed/cleanup.ts'
import { startComponent } from '../../bed/component.ts'
import type { Bed } from '../../bed/start-bed.ts'

const NAME = 'hami-scheduler'

/**
 * Starts a second kube-scheduler that places the pods of `hami-scheduler` and no others. HAMi runs one too, with an extender that counts
 * memory GPU by GPU; this one has none, and counts memory and compute as any extended resource that the node has in allocatable.
 */
export async function startHamiScheduler(t: Test, bed: Bed): Promise<void> {
  const binaries = await findBinaries()
  if (binaries.kind === 'missing') throw new Error(binaries.how)
  const directory = await mkdtemp(join(tmpdir(), 'rightslice-bed-hami-'))
  const config = join(directory, 'config.yaml')
  await writeFile(config, stringify(configuration(bed.kubeconfig('kube-scheduler'))))
  const started = await startComponent(
    {
      name: NAME,
      file: binaries.paths['kube-scheduler'],
      args: [`--config=${config}`, '--secure-port=0'],
      directory
    },
    watchOverAll(t, directory)
  )
  t.teardown(() => started.stop())
}

function watchOverAll(t: Test, directory: string): ReturnType<typeof watchOver> {
  const cleanup = watchOver(directory, async () => undefined)
  t.teardown(() => cleanup.done())
  return cleanup
}

function configuration(kubeconfig: string): JsonRecord {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig },
    leaderElection: { leaderElect: false },
    profiles: [{ schedulerName: NAME }]
  }
}

/** What a node of HAMi is made of: GPUs of one size, each for ten containers. */
export interface RegisteredGpus {
  readonly gpus: number
  readonly memoryMiB: number
}

/** Containers that may share one GPU: the number that HAMi is shipped with. */
const SPLIT = 10

/** What HAMi's plugin writes on a node, and memory and compute in allocatable for the scheduler without an extender. */
export function registrationOf({ gpus, memoryMiB }: RegisteredGpus): {
  readonly annotations: Readonly<Record<string, string>>
  readonly resources: Readonly<Record<string, string>>
} {
  const devices = Array.from({ length: gpus }, (_, index) => ({
    id: `GPU-00552014-5c87-89ac-b1a6-7b53aa24b0e${index}`,
    index,
    count: SPLIT,
    devmem: memoryMiB,
    devcore: 100,
    type: 'NVIDIA-NVIDIA L4',
    mode: 'hami-core',
    health: true
  }))
  return {
    annotations: {
      'hami.io/node-nvidia-register': JSON.stringify(devices),
      'hami.io/node-handshake': 'Requesting_2026-11-27 11:59:30'
    },
    resources: {
      'nvidia.com/gpu': `${gpus * SPLIT}`,
      'nvidia.com/gpumem': `${gpus * memoryMiB}`,
      'nvidia.com/gpucores': `${gpus * 100}`
    }
  }
}

/** Makes a node with whole GPUs one of HAMi. */
export async function register(bed: Bed, node: string, gpus: RegisteredGpus): Promise<void> {
  const { annotations, resources } = registrationOf(gpus)
  const path = `/api/v1/nodes/${node}`
  bodyOf(await bed.request('PATCH', path, { metadata: { annotations } }, MERGE_PATCH), `register ${node}`)
  const status = { status: { capacity: resources, allocatable: resources } }
  bodyOf(await bed.request('PATCH', `${path}/status`, status, MERGE_PATCH), `allocatable of ${node}`)
}
