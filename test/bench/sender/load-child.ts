import { once } from 'node:events'
import { type LoadOrder, sendLoad } from './load.ts'

/** Sends loads in a process of its own, so that it does not wait for what it measures: an order in, a result out. */
process.on('message', (order: LoadOrder) => {
  void sendLoad(order).then((result) => process.send?.(result))
})
await once(process, 'disconnect')
process.exit(0)
