import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SendRequest, User } from './api-client.ts'
import type { BedOptions } from './bed-options.ts'
import { findBinaries } from './binaries.ts'
import { watchOver } from './cleanup.ts'
import type { Component } from './component.ts'
import { auditLogIn, caFileIn } from './control-plane.ts'
import type { BinaryPaths } from './control-plane-group.ts'
import { type KubectlResult, runKubectl } from './kubectl.ts'
import { type Launched, launch, restartApiServer } from './launch.ts'
import { kubeconfigPath, type Role } from './roles.ts'

/** A running control plane on loopback. */
export type Bed = {
  /** `https://127.0.0.1:PORT` */
  readonly url: string
  /** Certificate (PEM) that vouches for the API server. */
  readonly caFile: string
  /** Kubeconfig of `system:masters`. */
  readonly adminKubeconfig: string
  readonly kubeconfig: (role: Role) => string
  readonly token: (role: Role) => string
  /** JSON lines, when the bed was started with `audit`. */
  readonly auditLogFile: string | undefined
  readonly hasControllerManager: boolean
  /** Everything of this bed; gone after `stop`. Each component's log is `NAME.log` in it. */
  readonly directory: string
  /** Process ids of the components, in the order of their first start: etcd, the API server, then the others. */
  readonly pids: readonly number[]
  /** Ends the API server by SIGTERM, after two seconds by SIGKILL, starts it anew on the same port over the same etcd, and waits until it is ready. */
  readonly restartApiServer: () => Promise<void>
  /** Runs kubectl, by default as admin. */
  readonly kubectl: (args: readonly string[], options?: KubectlOptions) => Promise<KubectlResult>
  /** Sends one request as admin; any status is an answer. */
  readonly request: SendRequest
  /** Sends requests as any user, by impersonation. */
  readonly as: (user: User) => SendRequest
  /** Opens a watch as admin; yields one object per event. */
  readonly watch: (path: string, signal: AbortSignal) => AsyncGenerator<unknown>
  /** Stops everything in reverse order and removes the folder; further calls give the same promise. */
  readonly stop: () => Promise<void>
}

/** What a kubectl call may add. */
type KubectlOptions = { readonly input?: string; readonly kubeconfig?: string }

/** A port may be taken between asking for it and using it; three tries make that as good as impossible. */
const TRIES = 3

/**
 * Starts etcd, the API server, and by default the controller manager and the scheduler, and waits until they are ready.
 * @throws Error when the programs are missing, or with the end of a component's log when it ends early
 */
export async function startBed(options: BedOptions = {}): Promise<Bed> {
  const paths = options.binaries ?? (await foundBinaries())
  for (let attempt = 1; ; attempt++) {
    const started = await tryToStart(paths, options)
    if (started.kind === 'started') return started.bed
    if (attempt === TRIES || !/address already in use/.test(started.fault.message)) throw started.fault
  }
}

async function foundBinaries(): Promise<BinaryPaths> {
  const binaries = await findBinaries()
  if (binaries.kind === 'missing') throw new Error(binaries.how)
  return binaries.paths
}

type Started =
  | { readonly kind: 'started'; readonly bed: Bed }
  | { readonly kind: 'failed'; readonly fault: Error }

async function tryToStart(paths: BinaryPaths, options: BedOptions): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'rightslice-bed-'))
  const components: Component[] = []
  const stopComponents = async (): Promise<void> => {
    for (const component of components.toReversed()) await component.stop()
  }
  const cleanup = watchOver(directory, stopComponents)
  const stopAll = async (): Promise<void> => {
    await stopComponents()
    cleanup.done()
  }
  try {
    const launched = await launch({ paths, options, directory, components, cleanup })
    const restart = (): Promise<void> => restartApiServer({ components, cleanup }, launched)
    return { kind: 'started', bed: makeBed(launched, components, { stopAll, restart }) }
  } catch (error) {
    await stopAll()
    return { kind: 'failed', fault: error instanceof Error ? error : new Error(String(error)) }
  }
}

function makeBed(
  launched: Launched,
  components: readonly Component[],
  acts: { readonly stopAll: () => Promise<void>; readonly restart: () => Promise<void> }
): Bed {
  const { url, api, credentials, plane } = launched
  const { directory, paths, hasControllerManager } = plane
  const adminKubeconfig = kubeconfigPath(directory, 'admin')
  let stopped: Promise<void> | undefined
  return {
    url,
    caFile: caFileIn(directory),
    adminKubeconfig,
    kubeconfig: (role) => kubeconfigPath(directory, role),
    token: credentials.token,
    auditLogFile: plane.auditPolicyFile === undefined ? undefined : auditLogIn(directory),
    hasControllerManager,
    directory,
    get pids() {
      return components.map(({ pid }) => pid)
    },
    restartApiServer: acts.restart,
    kubectl: (args, { input, kubeconfig = adminKubeconfig } = {}) =>
      runKubectl({
        file: paths.kubectl,
        args,
        kubeconfig,
        input,
        cacheDirectory: join(directory, 'kubectl-cache')
      }),
    request: async (...call) => {
      try {
        return await api.request(...call)
      } catch (cause) {
        const dead = components.find((component) => component.obituary() !== undefined)
        throw new Error(dead?.obituary() ?? `${call[0]} ${call[1]} got no answer`, { cause })
      }
    },
    as: api.as,
    watch: api.lines,
    stop: () => {
      stopped ??= api.close().then(acts.stopAll)
      return stopped
    }
  }
}
