import type { JsonRecord } from '../../src/core/json.ts'
import { indexNodes } from '../../src/core/sharing/node-index.ts'
import type { SweepScope } from '../../src/gather/sweep/sweep-scope.ts'
import { NOW_MS } from './input.ts'
import { aPolicy } from './policy.ts'

/** What pods are judged by: two namespaces on `enforce`, one on `warn`, one policy. */
export function aSweepScope(change: Partial<SweepScope> = {}): SweepScope {
  const level = (value: string) => ({ 'rightslice.dev/rightsize': value })
  return {
    namespaces: [
      { name: 'team-a', labels: level('enforce') },
      { name: 'team-b', labels: level('enforce') },
      { name: 'team-c', labels: level('warn') }
    ],
    policies: [{ name: 'standard', read: aPolicy(), sinceMs: undefined }],
    nodes: indexNodes([]),
    settings: { systemNamespaces: ['kube-*'], schedulers: ['default-scheduler'] },
    ownerOf: () => undefined,
    exemptions: [],
    nowMs: NOW_MS,
    ...change
  }
}

/** A pod that runs and mounts this volume, as the API server lists it. */
export function aMountingPod(namespace: string, name: string, volume: JsonRecord): JsonRecord {
  return {
    metadata: { namespace, name, uid: `uid-${name}` },
    spec: {
      containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', ...volume }]
    },
    status: { phase: 'Running' }
  }
}

/** A bound PersistentVolume of a folder of the node. */
export function aHostVolume(namespace: string, claim: string, path: string): JsonRecord {
  return {
    metadata: { name: `pv-${claim}` },
    spec: { hostPath: { path }, claimRef: { namespace, name: claim } },
    status: { phase: 'Bound' }
  }
}
