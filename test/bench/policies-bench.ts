import { setTimeout as pause } from 'node:timers/promises'
import type { JsonRecord } from '../../src/core/json.ts'
import { createNamespace } from '../bed/namespace.ts'
import { type Bed, startBed } from '../bed/start-bed.ts'
import { installPolicies } from '../e2e/backstop/install.ts'
import { type Figure, quantile } from './report.ts'

const ROUNDS = 9
const GOAL_MS = 500
const NAMESPACES = { with: 'strict', without: 'plain' } as const
const gpu = { resources: { limits: { 'nvidia.com/gpu': '1' } } }

/**
 * Time that the admission policies add in a real API server, for pods that are as long as an attacker makes them: the same pod
 * in a namespace on `enforce` and in one that has not opted in, in turns.
 */
export async function benchPolicies(): Promise<readonly Figure[]> {
  const bed = await startBed({ startScheduler: false, startControllerManager: false })
  try {
    await installPolicies(bed)
    await createNamespace(bed, NAMESPACES.with, { labels: { 'rightslice.dev/rightsize': 'enforce' } })
    await createNamespace(bed, NAMESPACES.without)
    await untilRefused(bed)
    const figures: Figure[] = []
    for (const [name, pod] of Object.entries(pods)) figures.push(...(await added(bed, name, pod)))
    return figures
  } finally {
    await bed.stop()
  }
}

const pods: Readonly<Record<string, JsonRecord>> = {
  'a usual pod': podOf([{ ...gpu, env: variables(10) }]),
  '10,000 variables': podOf([{ ...gpu, env: variables(10_000) }]),
  '10,000 watched variables': podOf([{ ...gpu, env: variables(10_000, 'NVIDIA_VISIBLE_DEVICES', 'void') }]),
  '1,000 containers': podOf(Array.from({ length: 1000 }, () => ({ ...gpu, env: variables(1) })))
}

function variables(count: number, name?: string, value = 'x'): readonly JsonRecord[] {
  return Array.from({ length: count }, (_, index) => ({ name: name ?? `V${index}`, value }))
}

function podOf(containers: readonly JsonRecord[]): JsonRecord {
  const named = containers.map((own, index) => ({
    name: `c${index}`,
    image: 'registry.example/app:1',
    ...own
  }))
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'long' }, spec: { containers: named } }
}

async function added(bed: Bed, name: string, pod: JsonRecord): Promise<readonly Figure[]> {
  const samples = { with: [] as number[], without: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of ['with', 'without'] as const)
      samples[side].push(await timed(bed, NAMESPACES[side], pod))
  const median = { with: quantile(samples.with, 0.5), without: quantile(samples.without, 0.5) }
  return [
    { name: `${name}, created without policies`, value: median.without, unit: 'ms' },
    {
      name: `${name}, added by policies`,
      value: median.with - median.without,
      unit: 'ms',
      comparison: '<=',
      goal: GOAL_MS
    }
  ]
}

async function timed(bed: Bed, namespace: string, pod: JsonRecord): Promise<number> {
  const startMs = performance.now()
  const { status, body } = await bed.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod)
  if (status !== 201) throw new Error(`${namespace}: ${status} ${JSON.stringify(body).slice(0, 300)}`)
  return performance.now() - startMs
}

/** A new policy acts after a second or so. */
async function untilRefused(bed: Bed): Promise<void> {
  const spec = { hostPID: true, containers: [{ name: 'c', image: 'i', ...gpu }] }
  const path = `/api/v1/namespaces/${NAMESPACES.with}/pods?dryRun=All`
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await bed.request('POST', path, { metadata: { name: 'bad' }, spec })).status === 403) return
    await pause(200)
  }
  throw new Error('the policies do not act')
}
