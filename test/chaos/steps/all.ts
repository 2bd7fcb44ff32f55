import { setTimeout as pause } from 'node:timers/promises'
import type { Step } from '../step.ts'
import { apiServerRestart, clockJump, etcdPause, watchResets } from './api-server.ts'
import { certificates } from './certificates.ts'
import { kill, rollingRestart } from './replicas.ts'

/** Nothing happens, so that the other steps have something to be compared with. */
const calm: Step = {
  name: 'calm',
  about: 'nothing happens',
  act: async ({ seconds }) => {
    await pause(seconds * 1000)
    return { figures: [] }
  }
}

/** Every step, in the order in which they are run. */
export const steps: readonly Step[] = [
  calm,
  certificates,
  rollingRestart,
  etcdPause,
  watchResets,
  clockJump,
  apiServerRestart,
  kill
]
