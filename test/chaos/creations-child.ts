import { once } from 'node:events'
import { type CreationOrder, Creations } from './creations.ts'

/** What the process is told: to begin, to say what is finished, to end. It answers each with a batch. */
export type CreationWish =
  | { readonly kind: 'begin'; readonly order: CreationOrder }
  | { readonly kind: 'take' }
  | { readonly kind: 'end' }

/** Creates pods in a process of its own, so that nothing that the tests do meanwhile delays it. */
let creations: Creations | undefined

process.on('message', (wish: CreationWish) => {
  if (wish.kind === 'begin') {
    creations = new Creations(wish.order)
    void creations.run()
    process.send?.(creations.take())
  } else if (wish.kind === 'take') {
    process.send?.(creations?.take())
  } else {
    void creations?.end().then((batch) => process.send?.(batch))
  }
})
await once(process, 'disconnect')
process.exit(0)
