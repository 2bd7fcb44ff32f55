import fc from 'fast-check'
import { isRecord, type JsonRecord, listOf, recordOf } from '../../src/core/json.ts'
import { dc1Pods } from '../../src/demo/dc1-pods.ts'
import { keptReview, sizableReview } from '../bench/reviews.ts'
import { readCases } from '../case-runner/case-file.ts'
import { kinds } from '../e2e/backstop/templates.ts'
import { attempts, debugAttempts } from '../e2e/isolation/attempts.ts'
import { honestPods, infrastructurePods } from '../e2e/isolation/honest-pods.ts'
import { scenarios } from '../property/arbitraries.ts'
import { somePods } from '../property/isolation-pods.ts'
import { operatorWorkloads } from './operator-workloads.ts'

/** What an API server would send about one object; the rest of the request is the same for all. */
export interface CorpusEntry {
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string
  readonly operation: 'CREATE' | 'UPDATE'
  readonly object: JsonRecord
  readonly oldObject?: JsonRecord
}

const CASES = new URL('../cases', import.meta.url).pathname
const POD = { group: '', version: 'v1', resource: 'pods' }
const GENERATED = 60

/** Pods of every shape: those of the cases, of well-known charts, of the demo, of tries to get at a GPU, and generated ones. */
export const corpusPods: readonly JsonRecord[] = [
  ...readCases(CASES).flatMap(({ input }) => podsWithin(input)),
  ...dc1Pods.flatMap(({ object }) => (isRecord(object) ? [object] : [])),
  ...[keptReview(), sizableReview()].flatMap((text) => podsWithin(JSON.parse(text))),
  ...honestPods.map(({ pod }) => pod),
  ...infrastructurePods.map(({ pod }) => pod),
  ...attempts().map(({ pod }) => pod),
  ...fc.sample(scenarios, { seed: 1, numRuns: GENERATED }).map(({ pod }) => pod),
  ...fc.sample(somePods(false), { seed: 2, numRuns: GENERATED })
]

/** Reviews that mutations begin with: pods, ephemeral containers, updates of pods, workloads, namespaces. */
export const corpus: readonly CorpusEntry[] = [
  ...corpusPods.map((object): CorpusEntry => ({ resource: POD, operation: 'CREATE', object })),
  ...corpusPods.filter((_, index) => index % 5 === 0).map(debugged),
  ...corpusPods.filter((_, index) => index % 7 === 0).map(annotated),
  ...templates(),
  ...operatorWorkloads.map(({ group, version, resource, object }): CorpusEntry => {
    return { resource: { group, version, resource }, operation: 'CREATE', object }
  }),
  ...namespaces()
]

/** Every object within the value that looks like a pod. */
function podsWithin(value: unknown): readonly JsonRecord[] {
  if (Array.isArray(value)) return value.flatMap(podsWithin)
  if (!isRecord(value)) return []
  const isPod = value.kind === 'Pod' && Array.isArray(recordOf(value, 'spec')?.containers)
  return isPod ? [value] : Object.values(value).flatMap(podsWithin)
}

/** A debugging container that comes to a pod. */
function debugged(pod: JsonRecord, index: number): CorpusEntry {
  const spec = recordOf(pod, 'spec') ?? {}
  const added = debugAttempts[index % debugAttempts.length]?.container
  const ephemeralContainers = [...listOf(spec, 'ephemeralContainers'), added]
  return {
    resource: POD,
    subResource: 'ephemeralcontainers',
    operation: 'UPDATE',
    object: { ...pod, spec: { ...spec, ephemeralContainers } },
    oldObject: pod
  }
}

function annotated(pod: JsonRecord): CorpusEntry {
  const metadata = recordOf(pod, 'metadata') ?? {}
  const annotations = {
    ...recordOf(metadata, 'annotations'),
    'rightslice.dev/decision': 'FitsMigProfile',
    'cdi.k8s.io/x': 'nvidia.com/gpu=all'
  }
  return {
    resource: POD,
    operation: 'UPDATE',
    object: { ...pod, metadata: { ...metadata, annotations } },
    oldObject: pod
  }
}

/** Workloads of Kubernetes' own kinds, each around a few pods. */
function templates(): readonly CorpusEntry[] {
  return kinds.flatMap(({ kind, api, plural, toSpec }, nth) => {
    const [, , group = '', version = 'v1'] = api.startsWith('/apis') ? api.split('/') : []
    return corpusPods
      .filter((_, index) => index % 40 === nth)
      .map((pod): CorpusEntry => {
        const { metadata, spec } = pod
        const object = {
          apiVersion: group === '' ? version : `${group}/${version}`,
          kind,
          metadata: { name: 'app', namespace: 'team-a' },
          spec: toSpec({ metadata: isRecord(metadata) ? metadata : {}, spec })
        }
        return { resource: { group, version, resource: plural }, operation: 'CREATE', object }
      })
  })
}

/** Namespaces as the webhook of advice sees them: made, and changed from any level to any other. */
function namespaces(): readonly CorpusEntry[] {
  const levels = ['off', 'warn', 'enforce', 'Enforce', ''] as const
  return levels.flatMap((before) =>
    levels.map((after): CorpusEntry => {
      const namespace = (level: string, isolation: string): JsonRecord => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: 'team-a',
          labels: { 'rightslice.dev/rightsize': level, 'rightslice.dev/isolation': isolation }
        }
      })
      const object = namespace(after, 'shared-ok')
      const resource = { group: '', version: 'v1', resource: 'namespaces' }
      return before === ''
        ? { resource, operation: 'CREATE', object }
        : { resource, operation: 'UPDATE', object, oldObject: namespace(before, 'hardware') }
    })
  )
}
