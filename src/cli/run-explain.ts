import { reasonCodes } from '../core/api/reasons.ts'
import { ruleCodes } from '../core/api/rules.ts'
import type { DecisionSettings } from '../core/decision/decision.ts'
import { AppError } from '../core/errors.ts'
import { dc1 } from '../demo/dc1.ts'
import { dc1Pods } from '../demo/dc1-pods.ts'
import { type Scene, sceneOf } from '../gather/explain/scene.ts'
import { readSnapshot, type Snapshot } from '../gather/snapshot.ts'
import type { TextSink } from './convert.ts'
import { ExplanationList, explanationSchema } from './explain/explain-document.ts'
import type { Explanation } from './explain/explain-pod.ts'
import { type Cluster, explainObjects, explainSubject } from './explain/find-explanations.ts'
import { parseSubject, type Subject } from './explain/parse-subject.ts'
import { renderExplanation } from './explain/render-explanation.ts'
import { renderList } from './explain/render-list.ts'
import { toDocument } from './explain/to-document.ts'
import { readDocuments } from './read-documents.ts'

/** What `rightslice explain` was asked. */
export interface ExplainRequest {
  /** `deploy/web`, `pod/web-0`, `ns/search`. */
  readonly subject?: string
  readonly file?: string
  readonly snapshot?: string
  /** Whether the bundled cluster takes the place of one that is there. */
  readonly demo?: boolean
  readonly reason?: string
  /** Whether to print the schema of the JSON. */
  readonly schema?: boolean
  /** Whether every workload of the namespace is meant. */
  readonly all?: boolean
  readonly namespace: string
  readonly output: 'text' | 'json'
}

/** A cluster that is there. */
export type OpenedCluster = Pick<Cluster, 'scene' | 'name' | 'reader'>

/** What the command needs of the world. */
export interface ExplainWorld {
  readonly readText: (path: string) => Promise<string>
  /** The page of a reason or of an isolation rule, by its path below `docs`: `rules/NodeNameSet.md`. */
  readonly readPage: (path: string) => Promise<string>
  /**
   * Reads the cluster of the kubeconfig; undefined where there is none and none was asked for.
   * @param whole whose pods are read whole and not as a snapshot has them, by namespace
   */
  readonly openCluster: (whole: (namespace: string) => boolean) => Promise<OpenedCluster | undefined>
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly settings: DecisionSettings
  readonly nowMs: number
}

/**
 * Says what a reason means, or what would happen to the pods of a file, a workload or a namespace, and why.
 * @throws AppError USAGE_WRONG, FILE_INVALID, and what reading a cluster throws
 */
export async function runExplain(request: ExplainRequest, world: ExplainWorld): Promise<void> {
  const { reason, schema, output } = request
  if (reason !== undefined || schema === true) {
    world.stdout.write(reason === undefined ? explanationSchema() : await world.readPage(pageOf(reason)))
    return
  }
  const subject = subjectOf(request)
  const cluster = await openCluster(request, world, subject)
  const explanations = await explanationsOf(request, { cluster, subject }, world)
  const documents = explanations.map(toDocument)
  if (output === 'json') {
    const generatedAt = new Date(world.nowMs).toISOString()
    const list = {
      apiVersion: 'cli.rightslice.dev/v1alpha1',
      kind: 'ExplanationList',
      generatedAt,
      cluster: cluster.name,
      items: documents
    }
    world.stdout.write(`${JSON.stringify(ExplanationList.parse(list), null, 2)}\n`)
  } else if (subject?.kind === 'namespace') world.stdout.write(renderList(subject.name, documents))
  else world.stdout.write(documents.map(renderExplanation).join('\n'))
}

/** @throws AppError USAGE_WRONG unless exactly one thing is asked about */
function subjectOf({ subject, file, all, namespace }: ExplainRequest): Subject | undefined {
  const asked = [subject, file, all === true ? namespace : undefined].filter((entry) => entry !== undefined)
  if (asked.length === 0)
    throw new AppError('USAGE_WRONG', 'give KIND/NAME such as deploy/web, -f FILE, --all, or --reason CODE')
  if (asked.length > 1) throw new AppError('USAGE_WRONG', 'KIND/NAME, -f FILE and --all exclude each other')
  if (all === true) return { kind: 'namespace', name: namespace }
  return subject === undefined ? undefined : parseSubject(subject)
}

async function explanationsOf(
  { file, namespace }: ExplainRequest,
  { cluster, subject }: { readonly cluster: Cluster; readonly subject: Subject | undefined },
  { readText, stderr }: ExplainWorld
): Promise<readonly Explanation[]> {
  if (subject !== undefined) return await explainSubject(subject, namespace, cluster)
  const source = file ?? ''
  return explainObjects(
    readDocuments(await readText(source), source),
    { file: source, namespace, stderr },
    cluster
  )
}

async function openCluster(
  request: ExplainRequest,
  world: ExplainWorld,
  subject: Subject | undefined
): Promise<Cluster> {
  const { settings, nowMs } = world
  const scope = { settings, nowMs }
  if (request.snapshot !== undefined) {
    const [document] = readDocuments(await world.readText(request.snapshot), request.snapshot)
    return { ...scope, scene: sceneOf(readSnapshot(document)), name: `snapshot ${request.snapshot}` }
  }
  if (request.demo === true) return { ...scope, scene: demoScene(), name: 'the bundled cluster dc1' }
  const namespace = subject?.kind === 'namespace' ? subject.name : request.namespace
  const opened = await world.openCluster((name) => subject !== undefined && name === namespace)
  if (opened !== undefined) return { ...scope, ...opened }
  if (request.file === undefined)
    throw new AppError(
      'USAGE_WRONG',
      'no kubeconfig was found: --kubeconfig FILE names one, --snapshot FILE takes a file of rightslice snapshot, --demo the bundled cluster'
    )
  world.stderr.write(
    'no kubeconfig was found, so this is for the bundled cluster dc1; --snapshot FILE takes another\n'
  )
  return { ...scope, scene: demoScene(), name: 'the bundled cluster dc1' }
}

/** The bundled cluster with its pods, none of them on a node yet. */
function demoScene(): Scene {
  const pods = dc1Pods.map(({ namespace, object }, index) => {
    const metadata = Object(object).metadata
    return {
      ...Object(object),
      metadata: { ...metadata, namespace, name: `${metadata.generateName}${index}` }
    }
  })
  const snapshot: Snapshot = { ...dc1, pods }
  return sceneOf(snapshot, pods)
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
