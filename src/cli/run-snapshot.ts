import { anonymize, type Hash } from '../gather/anonymize.ts'
import { takeSnapshot } from '../gather/take-snapshot.ts'
import type { ClusterLister } from '../ports/cluster-lister.ts'
import type { TextSink } from './convert.ts'

/** What `rightslice snapshot` needs of the world. */
export interface SnapshotWorld {
  readonly lister: ClusterLister
  readonly stdout: TextSink
  readonly stderr: TextSink
  /** Hashes names; absent: names stay. */
  readonly hash?: Hash
}

/** Prints the cluster as decisions see it; reads and writes nothing else. */
export async function runSnapshot({ lister, stdout, stderr, hash }: SnapshotWorld): Promise<void> {
  const taken = await takeSnapshot(lister)
  const snapshot = hash === undefined ? taken : anonymize(taken, hash)
  stdout.write(`${JSON.stringify(snapshot, null, 2)}\n`)
  const { nodes, namespaces, workloads, pods } = snapshot
  stderr.write(
    `${nodes.length} nodes, ${namespaces.length} namespaces, ${workloads.length} workloads, ${pods.length} GPU pods\n`
  )
}
