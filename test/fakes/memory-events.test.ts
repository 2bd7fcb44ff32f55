import t from 'tap'
import { eventSinkContract } from '../contract/event-sink.ts'
import { MemoryEvents } from './memory-events.ts'

t.test('the contract of an EventSink', async (t) => {
  eventSinkContract(t, async () => new MemoryEvents())
})
