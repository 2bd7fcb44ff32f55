import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Stands for a Service in front of several replicas. */
export interface Balancer {
  readonly port: number
  readonly close: () => Promise<void>
}

/** Hands each TCP connection to the next of the ports, all on loopback. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const replica = connect(ports[turn % ports.length] ?? 0, '127.0.0.1')
    turn += 1
    for (const [from, to] of [
      [client, replica],
      [replica, client]
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy()).on('close', () => open.delete(from))
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    }
  }
}
