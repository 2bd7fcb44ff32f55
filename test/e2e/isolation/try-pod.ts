import { type JsonRecord, stringOf } from '../../../src/core/json.ts'
import type { Answer } from '../../bed/api-client.ts'
import type { Bed } from '../../bed/start-bed.ts'

/** A container that asks for nothing. */
export const plain = { name: 'main', image: 'registry.example/app:1' }

/** A pod of one container, `plain` with these fields. */
export function podOf(container: JsonRecord, name = 'some'): JsonRecord {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ ...plain, ...container }] }
  }
}

/** Where pods of a namespace are. */
export function podsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`
}

/** Creates a pod in a dry run. */
export function tryPod(bed: Bed, namespace: string, pod: JsonRecord): Promise<Answer> {
  return bed.request('POST', `${podsIn(namespace)}?dryRun=All`, pod)
}

/** What a refusal says, else the whole answer. */
export function messageOf({ body }: Answer): string {
  return stringOf(body, 'message') ?? JSON.stringify(body)
}

/** Works through items, a few at a time. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const turn = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, turn))
}

/** Runtime classes that pods of the tests name. */
export async function createRuntimeClasses(bed: Bed): Promise<void> {
  for (const name of ['nvidia', 'nvidia-legacy', 'kata', 'kata-qemu', 'gvisor', 'other']) {
    const runtimeClass = {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name },
      handler: name
    }
    await bed.request('POST', '/apis/node.k8s.io/v1/runtimeclasses', runtimeClass)
  }
}
