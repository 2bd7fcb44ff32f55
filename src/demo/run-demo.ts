import { ownAnnotations } from '../core/api/names.ts'
import { fieldOf, isRecord, stringOf } from '../core/json.ts'
import { segmentsOf } from '../core/patch/operation.ts'
import { readPod } from '../core/pod/pod-view.ts'
import { dc1 } from './dc1.ts'
import { dc1Pods } from './dc1-pods.ts'
import { type ReviewAnswer, type ReviewClient, reviewOf } from './review-client.ts'

/** One line of the demo's table. */
export interface DemoRow {
  readonly pod: string
  /** What the container asked for and what it asks for now, or `unchanged`. */
  readonly change: string
  readonly reason: string
  readonly sentence: string
  readonly durationMs: number
}

/** Sends every pod of the bundled cluster to the webhook, one after the other. */
export async function runDemo(client: ReviewClient): Promise<readonly DemoRow[]> {
  const rows: DemoRow[] = []
  for (const { namespace, object } of dc1Pods) {
    const answer = await client.send({ namespace, object })
    rows.push(toRow(namespace, object, answer))
  }
  return rows
}

function toRow(namespace: string, object: unknown, answer: ReviewAnswer): DemoRow {
  const view = readPod(object, namespace)
  const asked = view.containers[0]?.limits?.['nvidia.com/gpu']
  return {
    pod: `${namespace}/${view.labels.app ?? view.name}`,
    change: `nvidia.com/gpu ${String(asked)} ${changeIn(answer)}`,
    reason: answer.auditAnnotations.reason ?? '-',
    sentence:
      markIn(answer, ownAnnotations.explain) ?? answer.warnings.join('; ').replaceAll('rightslice: ', ''),
    durationMs: answer.durationMs
  }
}

function changeIn({ patch }: ReviewAnswer): string {
  const paths = patch.flatMap((operation) =>
    fieldOf(operation, 'op') === 'add' ? [segmentsOf(stringOf(operation, 'path') ?? '')] : []
  )
  const limit = paths.find((path) => path.includes('limits'))?.at(-1)
  if (limit !== undefined) return `-> ${limit} 1`
  const selects = paths.some((path) => path[1] === 'nodeSelector')
  return selects ? '-> shared, by node choice' : 'unchanged'
}

function markIn({ patch }: ReviewAnswer, annotation: string): string | undefined {
  for (const operation of patch) {
    const value = fieldOf(operation, 'value')
    const path = segmentsOf(stringOf(operation, 'path') ?? '')
    if (path.at(-1) === annotation && typeof value === 'string') return value
    if (path.at(-1) === 'annotations' && isRecord(value)) return stringOf(value, annotation)
  }
  return undefined
}

/** The table for people: what went in, what came out, why, and how long it took. */
export function renderDemo(rows: readonly DemoRow[], url: string): string {
  const podWidth = widest(rows.map(({ pod }) => pod))
  const changeWidth = widest(rows.map(({ change }) => change))
  const reasonWidth = widest(rows.map(({ reason }) => reason))
  const changed = rows.filter(({ change }) => change.includes('->')).length
  const table = rows.map(({ pod, change, reason, sentence, durationMs }) => {
    const head = `${pod.padEnd(podWidth)}  ${change.padEnd(changeWidth)}  ${reason.padEnd(reasonWidth)}  ${durationMs.toFixed(1).padStart(6)} ms`
    return `    ${head}\n        ${sentence}`
  })
  return [
    `dc1 (embedded): ${dc1.nodes.length} GPU nodes, ${dc1Pods.length} GPU pods, 14 days of peaks. No cluster, nothing is written.`,
    `webhook   ${url}  (self-signed, this run only)`,
    ...table,
    `${changed} of ${rows.length} pods get a share instead of a whole GPU; the others keep theirs, each for the reason that it names.`,
    ''
  ].join('\n')
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length))
}

/** A review that a person can send: for the creation of the first pod of the table. */
export function sampleReview(): unknown {
  const [first] = dc1Pods
  return reviewOf('by-hand', first?.namespace ?? '', first?.object)
}

/** What the hints of `renderNextSteps` name. */
export interface NextSteps {
  readonly url: string
  readonly caFile: string
  readonly reviewFile: string
  /** The file that node was started with: a clone that was not built has no other way to call the command. */
  readonly entryFile: string
}

/** What to try next, for a server that stays up. */
export function renderNextSteps({ url, caFile, reviewFile, entryFile }: NextSteps): string {
  const command = entryFile.endsWith('.ts') ? 'npx node src/cli.ts' : 'npx rightslice'
  return [
    'The webhook stays up; Ctrl-C ends it. In another terminal:',
    `  send a review      curl --cacert ${caFile} -H 'content-type: application/json' -d @${reviewFile} ${url}`,
    `  try a pod          ${command} explain -f pod.yaml -n search --demo`,
    `  read about a code  ${command} explain --reason FitsMigProfile`,
    ''
  ].join('\n')
}
