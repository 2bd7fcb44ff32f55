import type { Server } from 'node:https'
import { showText } from '../core/rules/show.ts'
import type { Log } from '../ports/log.ts'

/** Cuts connections of clients that are vouched for but whose common name is not among those that may call. */
export function allowClients(
  server: Pick<Server, 'on'>,
  { names, log }: { readonly names: readonly string[]; readonly log: Log }
): void {
  if (names.length === 0) return
  server.on('secureConnection', (socket) => {
    const name = socket.getPeerCertificate().subject?.CN
    if (typeof name === 'string' && names.includes(name)) return
    log.warn({ client: showText(String(name)) }, 'client is not allowed')
    socket.destroy()
  })
}
