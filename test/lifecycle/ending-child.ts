import { runUntilEnded, untilAborted } from '../../src/lifecycle/ending.ts'
import { createLogger } from '../../src/observability/logger.ts'

/** A process that ends as it is told by its first argument, for tests of endings: `node ending-child.ts orderly|hangs|…`. */
const works: Readonly<Record<string, (ending: AbortSignal) => Promise<void>>> = {
  /** Ends in good order. */
  orderly: untilAborted,
  /** Is asked to end and never does. */
  hangs: () => new Promise(() => undefined),
  /** Its work ends, but something holds the process. */
  lingers: async (ending) => {
    await untilAborted(ending)
    setInterval(() => undefined, 600_000)
  },
  /** Its work fails, and something holds the process. */
  fails: async () => {
    setInterval(() => undefined, 600_000)
    throw new Error('port is taken')
  },
  /** A promise is rejected that nobody looks at. */
  rejects: async (ending) => {
    void Promise.reject(new Error('nobody looks'))
    await untilAborted(ending)
  },
  /** A fault in a callback. */
  throws: async (ending) => {
    setImmediate(() => {
      throw new Error('in a callback')
    })
    await untilAborted(ending)
  }
}

const work = works[process.argv[2] ?? '']
if (work === undefined) throw new Error('says nothing of its end')
const log = createLogger({ level: 'info' })
const server = setInterval(() => undefined, 600_000) // what keeps a process alive while it works
try {
  await runUntilEnded({ log, graceSeconds: Number(process.argv[3]) }, async (ending) => {
    log.info({}, 'runs')
    await work(ending)
  })
} catch {
  process.exitCode = 1 // as the command line does
}
clearInterval(server)
