import type { Test } from 'tap'
import type { EventMessage, EventSink } from '../../src/ports/event-sink.ts'

/** An event as the controller tells it. */
export function anEvent(change: Partial<EventMessage> = {}): EventMessage {
  return {
    subject: {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'search',
      name: 'reranker-6c9d7-k2x8p',
      uid: 'uid-1'
    },
    reason: 'GpuRequestRewritten',
    message: 'server nvidia.com/gpu 1 -> nvidia.com/mig-1g.5gb 1',
    key: '6c9d7',
    atMs: 1_700_000_000_000,
    ...change
  }
}

/** What every EventSink promises; `make` gives one that was told nothing. */
export function eventSinkContract(t: Test, make: (t: Test) => Promise<EventSink>): void {
  const never = new AbortController().signal

  t.test('an event is told once per subject, reason and key', async (t) => {
    const sink = await make(t)
    const other = { ...anEvent().subject, uid: 'uid-2' }

    t.equal(await sink.tell(anEvent(), never), true)
    t.equal(await sink.tell(anEvent({ message: 'in other words', atMs: 1 }), never), false)
    t.equal(await sink.tell(anEvent({ key: '7d8f6' }), never), true)
    t.equal(await sink.tell(anEvent({ reason: 'GpuRequestKept' }), never), true)
    t.equal(await sink.tell(anEvent({ subject: other }), never), true)
  })
}
