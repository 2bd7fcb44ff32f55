import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { closeApp, trackConnections } from '../../src/server/close-app.ts'

/** An app that never ends a connection by itself. */
async function stubbornApp() {
  const server: Server = createServer({ headersTimeout: 0, keepAliveTimeout: 0 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const app = {
    server,
    close: () => new Promise((resolve) => server.close(resolve))
  }
  const address = server.address()
  return { app, port: typeof address === 'object' && address !== null ? address.port : 0 }
}

t.test('a connection that never sent anything is cut after a while', async (t) => {
  const { app, port } = await stubbornApp()
  const open = trackConnections(app)
  const socket = connect(port, '127.0.0.1')
  const [served] = await once(app.server, 'connection')
  const closed = Promise.all([once(socket, 'close'), once(served, 'close')])

  await closeApp(app, open)

  await t.resolves(closed)
  t.equal(open.size, 0)
})

t.test('connections that ended by themselves are forgotten', async (t) => {
  const { app, port } = await stubbornApp()
  const open = trackConnections(app)
  const socket = connect(port, '127.0.0.1')
  const [served] = await once(app.server, 'connection')
  socket.destroy()
  await once(served, 'close')

  t.equal(open.size, 0)

  await closeApp(app, open)
})
