import { join } from 'node:path'
import type { Test } from 'tap'
import { connectCluster, type KubeConnection } from '../../src/kube/connection.ts'
import { type FakeApiServer, startFakeApiServer } from '../fakes/fake-api-server.ts'

/** A fake API server and a real connection to it, both closed with the test. */
export async function fakeCluster(t: Test): Promise<{ server: FakeApiServer; connection: KubeConnection }> {
  const server = await startFakeApiServer()
  t.teardown(() => server.close())
  const file = join(t.testdir({ kubeconfig: server.kubeconfig({ token: 'secret' }) }), 'kubeconfig')
  const connection = await connectCluster({ kubeconfig: file })
  t.teardown(() => connection.close())
  return { server, connection }
}
