import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** The part of a server, plain or with TLS, that is needed to know its connections. */
export interface BoundedServer {
  on(event: 'connection', listener: (socket: Socket) => void): unknown
  on(event: 'secureConnection', listener: (socket: TLSSocket) => void): unknown
  on(event: 'request', listener: (request: IncomingMessage, response: ServerResponse) => void): unknown
}

interface Connection {
  readonly key: string
  socket: Socket
  /** The request that has no answer yet. */
  request: IncomingMessage | undefined
  /** Whether a request has been answered on it. */
  isProven: boolean
}

/**
 * Lets a server have so many connections at most. When one more comes, the one that is least missed is cut: the oldest that never carried a
 * request through, then one whose request does not come, then the one that has been idle for longest. One whose request has arrived
 * and waits for its answer is never cut; when there are no others, the newcomer is. So whoever only holds connections loses them.
 */
export function boundConnections(
  server: BoundedServer,
  { limit, onCut }: { readonly limit: number; readonly onCut?: () => void }
): void {
  /** By the client's address and port; the one that was active last comes last. */
  const open = new Map<string, Connection>()
  const ofSocket = new WeakMap<Socket, Connection>()
  const forget = (connection: Connection): boolean =>
    open.get(connection.key) === connection && open.delete(connection.key)
  server.on('connection', (socket) => {
    const connection: Connection = { key: keyOf(socket), socket, request: undefined, isProven: false }
    socket.once('close', () => forget(connection))
    ofSocket.set(socket, connection)
    if (open.size >= limit) {
      const victim = leastMissed(open.values()) ?? connection
      onCut?.()
      forget(victim)
      victim.socket.destroy()
      if (victim === connection) return
    }
    open.set(connection.key, connection)
  })
  server.on('secureConnection', (socket) => {
    const connection = open.get(keyOf(socket))
    if (connection === undefined) return
    connection.socket = socket
    ofSocket.set(socket, connection)
    socket.once('close', () => forget(connection))
  })
  server.on('request', (request, response) => {
    const connection = ofSocket.get(request.socket)
    if (connection === undefined) return
    connection.request = request
    response.once('close', () => {
      if (connection.request === request) connection.request = undefined
      connection.isProven ||= response.writableFinished
      if (forget(connection) && !request.socket.destroyed) open.set(connection.key, connection)
    })
  })
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function leastMissed(connections: Iterable<Connection>): Connection | undefined {
  const candidates: (Connection | undefined)[] = [undefined, undefined, undefined]
  for (const connection of connections) {
    const rank = rankOf(connection)
    if (rank === 0) return connection
    if (rank !== undefined) candidates[rank] ??= connection
  }
  return candidates.find((candidate) => candidate !== undefined)
}

/** 0 is missed least; undefined: an answer is due. */
function rankOf({ request, isProven }: Connection): 0 | 1 | 2 | undefined {
  if (request?.complete === true) return undefined
  if (!isProven) return 0
  return request === undefined ? 2 : 1
}
