import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { bodyOf } from './api-client.ts'
import { type Pod, PodSchema } from './kubelet.ts'
import type { Bed } from './start-bed.ts'

const PATH = '/api/v1/pods?fieldSelector=spec.nodeName%21%3D'

const PodListSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string() }),
  items: z.array(PodSchema)
})

const EventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ADDED'), object: PodSchema }),
  z.object({ type: z.literal('MODIFIED'), object: PodSchema }),
  z.object({ type: z.literal('DELETED'), object: PodSchema }),
  z.object({ type: z.literal('BOOKMARK'), object: z.unknown() }),
  z.object({ type: z.literal('ERROR'), object: z.unknown() })
])

/** Receives the pods that are bound to a node. */
type PodListener = {
  /** Called for each state of a bound pod, one after the other. */
  readonly onPod: (pod: Pod) => Promise<void>
  readonly onGone: (pod: Pod) => void
  /** Called when the API server could not be listed or watched; the feed then starts over. */
  readonly onFault: (fault: unknown) => void
}

/** Lists and watches the bound pods until `signal` is aborted; starts over after every end or fault. */
export async function feedPods(bed: Bed, listener: PodListener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await listAndWatch(bed, listener, signal)
    } catch (fault) {
      if (signal.aborted) return
      listener.onFault(fault)
      await delay(100)
    }
  }
}

async function listAndWatch(bed: Bed, listener: PodListener, signal: AbortSignal): Promise<void> {
  const list = PodListSchema.parse(bodyOf(await bed.request('GET', PATH), 'list bound pods'))
  for (const pod of list.items) await listener.onPod(pod)
  const events = bed.watch(`${PATH}&watch=true&resourceVersion=${list.metadata.resourceVersion}`, signal)
  for await (const line of events) {
    const event = EventSchema.parse(line)
    if (event.type === 'ERROR') return
    if (event.type === 'DELETED') listener.onGone(event.object)
    else if (event.type !== 'BOOKMARK') await listener.onPod(event.object)
  }
}
