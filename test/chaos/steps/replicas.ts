import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from '../replica.ts'
import type { Stage } from '../stage.ts'
import { atMost, type Step, type StepSite } from '../step.ts'

/** How long the load runs before a replica is touched, ms, so that the API server holds connections to it. */
const LEAD_MS = 2_000

/** One replica after the other ends by SIGTERM, and another one takes its place. */
export const rollingRestart: Step = {
  name: 'rolling-restart',
  about: 'each replica in turn is ended by SIGTERM, and another one takes its place',
  act: async ({ stage }) => {
    await pause(LEAD_MS)
    const ends: Promise<number | null>[] = []
    for (const replica of stage.replicas) {
      stage.balancer.remove(replica.port)
      ends.push(endInOrder(stage, replica))
      await stage.join()
    }
    const codes = await Promise.all(ends)
    const failed = codes.filter((code) => code !== 0).length
    return {
      figures: [
        { name: 'replicas ended and replaced', value: codes.length, unit: '' },
        atMost('replicas that did not end with code 0', failed, 0)
      ]
    }
  }
}

async function endInOrder(stage: Stage, replica: Replica): Promise<number | null> {
  const code = await replica.stop('SIGTERM')
  stage.leave(replica)
  return code
}

/**
 * One replica dies without a word. Calls that it was working on are lost, and so are those that are sent to it until it is forgotten: no server can
 * help there, so they are counted and bound the failures.
 */
export const kill: Step = {
  name: 'kill',
  about: 'one replica is ended by SIGKILL, forgotten late, and then replaced',
  act: async ({ stage }: StepSite) => {
    await pause(LEAD_MS)
    const [victim] = stage.replicas
    if (victim === undefined) throw new Error('there is no replica to kill')
    const departure = stage.balancer.remove(victim.port)
    await victim.stop('SIGKILL')
    stage.leave(victim)
    await departure.forgotten
    await stage.join()
    const figures = [
      { name: 'connections to it when it died, idle ones too', value: departure.held, unit: '' },
      { name: 'connections made to it until it was forgotten', value: departure.given(), unit: '' }
    ]
    return { figures, allowedFailures: departure.held + departure.given() }
  }
}
