import { createHmac, randomBytes } from 'node:crypto'
import { runSnapshot } from './cli/run-snapshot.ts'
import { clusterLister } from './kube/cluster-lister.ts'
import { connectCluster } from './kube/connection.ts'

/** `rightslice snapshot`: reads the cluster that a kubeconfig names and prints it. */
export async function snapshot(
  where: { kubeconfig?: string; context?: string },
  anonymous: boolean
): Promise<void> {
  const connection = await connectCluster(where)
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  const salt = randomBytes(16)
  const hash = (text: string): string =>
    `x${createHmac('sha256', salt).update(text).digest('hex').slice(0, 9)}`
  try {
    await runSnapshot({
      lister: clusterLister(connection, stopping.signal),
      stdout: process.stdout,
      stderr: process.stderr,
      ...(anonymous ? { hash } : {})
    })
  } finally {
    await connection.close()
  }
}
