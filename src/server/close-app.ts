import type { Duplex } from 'node:stream'

/** The part of a fastify app that is needed to close it. */
export interface ClosableApp {
  readonly server: {
    on(event: 'connection', listener: (socket: Duplex) => void): unknown
    closeIdleConnections(): void
  }
  close(): PromiseLike<unknown>
}

/** How often connections that fell idle in the meantime are closed, ms. */
const SWEEP_MS = 50

/** After this time connections are cut that still do not end by themselves, ms. */
const PATIENCE_MS = 2_000

/** Remembers the open connections of an app, also those that never sent anything. */
export function trackConnections(app: ClosableApp): ReadonlySet<Duplex> {
  const open = new Set<Duplex>()
  app.server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

/**
 * Closes an app: no new connections, idle ones at once, the others after their answer. Node alone would wait for a
 * connection that was kept alive, or never used, until its timeout.
 */
export async function closeApp(app: ClosableApp, open: ReadonlySet<Duplex>): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  const cut = setTimeout(() => {
    for (const socket of open) socket.destroy()
  }, PATIENCE_MS)
  try {
    await app.close()
  } finally {
    clearInterval(sweep)
    clearTimeout(cut)
  }
}
