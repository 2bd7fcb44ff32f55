import { reasonCodes } from '../core/api/reasons.ts'
import { ruleCodes } from '../core/api/rules.ts'
import type { DecisionSettings } from '../core/decision/decision.ts'
import { AppError } from '../core/errors.ts'
import { fieldOf, stringOf } from '../core/json.ts'
import { type TemplatedPod, templatedPodOf, templateKinds } from '../core/pod/pod-template.ts'
import { dc1 } from '../demo/dc1.ts'
import { ClusterState } from '../gather/cluster-state.ts'
import { storesOf } from '../gather/snapshot.ts'
import type { TextSink } from './convert.ts'
import { explainPod, explanationJson, renderExplanation } from './explain.ts'
import { readDocuments } from './read-documents.ts'

/** What `rightslice explain` was asked. */
export interface ExplainRequest {
  readonly file?: string
  readonly snapshot?: string
  readonly reason?: string
  readonly namespace: string
  readonly output: 'text' | 'json'
}

/** What the command needs of the world. */
export interface ExplainWorld {
  readonly readText: (path: string) => Promise<string>
  /** The page of a reason or of an isolation rule, by its path below `docs`: `rules/NodeNameSet.md`. */
  readonly readPage: (path: string) => Promise<string>
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly settings: DecisionSettings
  readonly nowMs: number
}

/**
 * Says what a reason means, or what would happen to the pods of a file; objects that make no pods are named on stderr.
 * @throws AppError USAGE_WRONG, FILE_INVALID
 */
export async function runExplain(request: ExplainRequest, world: ExplainWorld): Promise<void> {
  if (request.reason !== undefined) {
    world.stdout.write(await world.readPage(pageOf(request.reason)))
    return
  }
  if (request.file === undefined) throw new AppError('USAGE_WRONG', 'give -f FILE or --reason CODE')
  const state = await loadState(request, world)
  const objects = readDocuments(await world.readText(request.file), request.file)
  const pods = podsOf(objects, request.file, world.stderr)
  const explanations = pods.map((pod) =>
    explainPod(pod, { namespace: request.namespace, state, settings: world.settings, nowMs: world.nowMs })
  )
  state.close()
  if (request.output === 'json') {
    world.stdout.write(`${JSON.stringify(explanations.map(explanationJson), null, 2)}\n`)
    return
  }
  world.stdout.write(explanations.map(renderExplanation).join('\n'))
}

async function loadState(request: ExplainRequest, world: ExplainWorld): Promise<ClusterState> {
  if (request.snapshot === undefined) {
    world.stderr.write('against the bundled cluster dc1; --snapshot FILE takes another\n')
    return new ClusterState(storesOf(dc1), (task) => task())
  }
  const [snapshot] = readDocuments(await world.readText(request.snapshot), request.snapshot)
  return new ClusterState(storesOf(snapshot), (task) => task())
}

/** Files often hold a Service or a ConfigMap beside the workload: these are passed over, but not in silence. */
function podsOf(objects: readonly unknown[], file: string, stderr: TextSink): readonly TemplatedPod[] {
  const pods = objects.flatMap((raw) => {
    const pod = templatedPodOf(raw)
    if (pod !== undefined) return pod
    if (templateKinds.some((kind) => kind === stringOf(raw, 'kind')))
      throw new AppError('FILE_INVALID', `${file}: ${nameOf(raw)} has no pod template`)
    stderr.write(`${file}: ${nameOf(raw)} makes no pods and is skipped\n`)
    return []
  })
  if (pods.length > 0) return pods
  throw new AppError('FILE_INVALID', `${file}: no object is any of ${templateKinds.join(', ')}`)
}

/** `Kind/name` of an object, as far as it says. */
function nameOf(raw: unknown): string {
  const name = stringOf(fieldOf(raw, 'metadata'), 'name') ?? '(no name)'
  return `${stringOf(raw, 'kind') ?? '(no kind)'}/${name}`
}

/** Rules and reasons have no code in common. */
function pageOf(code: string): string {
  const isMeant = (entry: string): boolean => entry.toLowerCase() === code.toLowerCase()
  const reason = reasonCodes.find(isMeant)
  if (reason !== undefined) return `reasons/${reason}.md`
  const rule = ruleCodes.find(isMeant)
  if (rule !== undefined) return `rules/${rule}.md`
  throw new AppError(
    'USAGE_WRONG',
    `no reason "${code}"; known are ${[...reasonCodes, ...ruleCodes].join(', ')}`
  )
}
