import { readFileSync } from 'node:fs'
import { fieldAt } from '../../src/core/json.ts'

/** The review of the benchmarks, JSON as an API server sends it: its program takes a fraction of whatever device it finds, so the pod is kept. */
export function keptReview(): string {
  return JSON.stringify(JSON.parse(readFileSync(new URL('review.json', import.meta.url), 'utf8')))
}

/** The same review without what makes the program take a fraction of the device, so that the pod is sized and rewritten. */
export function sizableReview(): string {
  return keptReview()
    .replace('--gpu-memory-utilization', '--max-num-seqs')
    .replace('/vllm-openai:', '/server:')
}

/** A review of the Deployment that would make the pod of `sizableReview`, for the advice webhook. */
export function templateReview(): string {
  const { request, ...rest } = JSON.parse(sizableReview())
  const metadata = { namespace: request.namespace, name: 'llm-inference' }
  const labels = fieldAt(request.object, 'metadata', 'labels')
  const annotations = fieldAt(request.object, 'metadata', 'annotations')
  const template = { metadata: { labels, annotations }, spec: request.object.spec }
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' }
  const object = {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata,
    spec: { replicas: 3, selector: { matchLabels: labels }, template }
  }
  const changed = { kind, resource, requestKind: kind, requestResource: resource, object }
  return JSON.stringify({ ...rest, request: { ...request, ...changed } })
}
