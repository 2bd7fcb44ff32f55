import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** What must be gone when this process ends, however it ends. */
export type Cleanup = {
  /** Says that process `pid` belongs to the bed. */
  readonly ownProcess: (pid: number) => void
  /** Says that process `pid` has ended. */
  readonly disownProcess: (pid: number) => void
  /** Ends the watch: everything was stopped in order. Removes the folder. */
  readonly done: () => void
}

/**
 * Watches over the bed's processes and its folder: they go with this process on a normal end, a thrown error,
 * Ctrl-C and SIGTERM, and a small shell that outlives this process removes them when it was killed outright.
 * @param stopInOrder the orderly way to stop, used for Ctrl-C and SIGTERM
 */
export function watchOver(directory: string, stopInOrder: () => Promise<void>): Cleanup {
  const pids = new Set<number>()
  const undertaker = startUndertaker(directory)

  const onExit = (): void => {
    for (const pid of pids) killNow(pid)
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const raiseAgain = (): void => {
      stopListening()
      onExit()
      process.kill(process.pid, signal)
    }
    stopInOrder().then(raiseAgain, raiseAgain)
  }
  const stopListening = (): void => {
    process.off('exit', onExit).off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onSignal)
  }
  process.on('exit', onExit).on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal)

  return {
    ownProcess: (pid) => {
      pids.add(pid)
      undertaker.stdin?.write(`own ${pid}\n`)
    },
    disownProcess: (pid) => {
      pids.delete(pid)
      undertaker.stdin?.write(`disown ${pid}\n`)
    },
    done: () => {
      stopListening()
      onExit()
      undertaker.stdin?.end()
    }
  }
}

/** Reads owned process ids from its input; when that ends, because we did, it kills them and removes the folder. */
const UNDERTAKER_SCRIPT = `
pids=' '
while read -r verb pid; do
  case $verb in
    own) pids="$pids$pid " ;;
    disown) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
rm -rf "$1"
`

/** In a session of its own, so that Ctrl-C in a terminal does not reach it. */
function startUndertaker(directory: string): ChildProcess {
  const undertaker = spawn('/bin/sh', ['-c', UNDERTAKER_SCRIPT, 'sh', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore']
  })
  undertaker.on('error', () => undefined)
  undertaker.stdin.on('error', () => undefined)
  if ('unref' in undertaker.stdin && typeof undertaker.stdin.unref === 'function') undertaker.stdin.unref()
  undertaker.unref()
  return undertaker
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
