import { Agent, request } from 'node:https'
import { connect } from 'node:tls'
import type { Answer, WebhookPath } from './stage.ts'

/** The port for TLS of the webhooks, as an API server and as a stranger use it. */
export interface Wire {
  /** Sends a body as an API server does, on a connection that is kept. */
  send(path: WebhookPath, body: Buffer): Promise<Answer>
  /** Sends bytes that may be no HTTP at all on a connection of their own, says that no more will come, and waits for its end. */
  sendRaw(bytes: Buffer): Promise<string>
  close(): void
}

/** Longest wait for an answer or for the end of a connection, ms: no more than a body is waited for. */
const PATIENCE_MS = 15_000

/** Opens the way over TLS to a webhook that listens. */
export function openWire(port: number): Wire {
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false }
  const agent = new Agent({ ...options, keepAlive: true, maxSockets: 1 })
  return {
    send: (path, body) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': body.length }
        const call = request(
          { ...options, agent, method: 'POST', path: `${path}?timeout=2s`, headers, timeout: PATIENCE_MS },
          (reply) => {
            const chunks: Buffer[] = []
            reply.on('data', (chunk: Buffer) => chunks.push(chunk))
            reply.on('error', reject)
            reply.on('end', () =>
              resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
            )
          }
        )
        call.on('timeout', () => call.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)))
        call.on('error', reject)
        call.end(body)
      }),
    sendRaw: async (bytes) => {
      const socket = connect(options)
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('error', () => socket.destroy()) // that the server cuts it is one way to end it
      socket.setTimeout(PATIENCE_MS, () => {
        chunks.push(Buffer.from('HANGS'))
        socket.destroy()
      })
      socket.end(bytes)
      await new Promise((resolve) => socket.once('close', resolve))
      return Buffer.concat(chunks).toString('latin1')
    },
    close: () => agent.destroy()
  }
}
