import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** What became of a backend that has left. */
export interface Departure {
  /** Connections that it held when it left, idle ones too. */
  readonly held: number
  /** Connections that were given to it since, because it was not forgotten yet. */
  readonly given: () => number
  /** Resolves when it is forgotten: no new connection goes there any more. */
  readonly forgotten: Promise<void>
}

/** Stands for a Service in front of several replicas, or for the network in front of one server. All is on loopback. */
export interface Balancer {
  readonly port: number
  /** Gives connections to this backend from now on, in turn with the others. */
  add(port: number): void
  /** Forgets a backend, late as kube-proxy does. Connections that it holds are left alone. */
  remove(port: number): Departure
  /** Cuts every connection that is open, and says how many there were. */
  cut(): number
  /** While it is down, connections are accepted and ended at once, and those that were open are cut. */
  setDown(isDown: boolean): void
  close(): Promise<void>
}

/** A connection that was handed on. */
interface Pair {
  readonly backend: number
  readonly client: Socket
  readonly server: Socket
}

/**
 * Hands each TCP connection to the next of the backends.
 * @param lateMs how long a backend that was removed still gets connections
 */
export async function startBalancer(ports: readonly number[], lateMs = 0): Promise<Balancer> {
  const state = new BalancerState(ports, lateMs)
  const server = createServer((client) => state.accept(client))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: portOf(server),
    add: (port) => state.add(port),
    remove: (port) => state.remove(port),
    cut: () => state.cut(),
    setDown: (isDown) => state.setDown(isDown),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      state.destroyAll()
      await closed
    }
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

class BalancerState {
  readonly #lateMs: number
  readonly #open = new Set<Pair>()
  /** Both ends of every pair, also where the other end is gone. */
  readonly #sockets = new Set<Socket>()
  /** How many connections each backend was given so far. */
  readonly #given = new Map<number, number>()
  #backends: readonly number[]
  #turn = 0
  #isDown = false

  constructor(ports: readonly number[], lateMs: number) {
    this.#backends = ports
    this.#lateMs = lateMs
  }

  add(port: number): void {
    this.#backends = [...this.#backends, port]
  }

  remove(port: number): Departure {
    const before = this.#givenTo(port)
    let after: number | undefined
    const forget = async (): Promise<void> => {
      if (this.#lateMs > 0) await pause(this.#lateMs, undefined, { ref: false })
      this.#backends = this.#backends.filter((backend) => backend !== port)
      after = this.#givenTo(port)
    }
    return {
      held: [...this.#open].filter(({ backend }) => backend === port).length,
      given: () => (after ?? this.#givenTo(port)) - before,
      forgotten: forget()
    }
  }

  cut(): number {
    const pairs = [...this.#open]
    for (const { client, server } of pairs) {
      reset(client)
      reset(server)
    }
    return pairs.length
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  setDown(isDown: boolean): void {
    this.#isDown = isDown
    if (isDown) this.cut()
  }

  accept(client: Socket): void {
    const backend = this.#isDown ? undefined : this.#backends[this.#turn % this.#backends.length]
    this.#turn += 1
    if (backend === undefined) {
      reset(client.on('error', () => undefined))
      return
    }
    this.#given.set(backend, this.#givenTo(backend) + 1)
    const pair = { backend, client, server: connect(backend, '127.0.0.1') }
    this.#open.add(pair)
    this.#join(pair)
  }

  #join(pair: Pair): void {
    const { client, server } = pair
    for (const [from, to] of [
      [client, server],
      [server, client]
    ] as const) {
      from.setNoDelay(true)
      from.on('error', () => reset(to)) // whoever was cut off sees it, and no end that looks orderly
      this.#sockets.add(from)
      from.on('close', () => {
        this.#sockets.delete(from)
        this.#open.delete(pair)
      })
      from.pipe(to)
    }
  }

  #givenTo(port: number): number {
    return this.#given.get(port) ?? 0
  }
}

/** A socket whose end is under way cannot be reset any more, and would stay open for ever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
