import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A way to a server on loopback on which what the server says comes late. */
export interface LateWay {
  readonly port: number
  /** From now on every byte of the server comes so many ms late; the order stays. */
  setDelay(ms: number): void
  close(): Promise<void>
}

/** Opens a way to the server on this port, without any delay at first. */
export async function openLateWay(target: number): Promise<LateWay> {
  let delayMs = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.pipe(upstream)
    void handOver(upstream, client, () => delayMs).catch(() => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    setDelay: (ms) => {
      delayMs = ms
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}

/** Each piece is late by itself, so that many of them are on their way at one time. */
async function handOver(from: Socket, to: Socket, delayMs: () => number): Promise<void> {
  let last = Promise.resolve()
  for await (const piece of from) {
    const due = pause(delayMs(), undefined, { ref: false })
    last = last.then(async () => {
      await due
      to.write(piece)
    })
  }
  await last
  to.end()
}
