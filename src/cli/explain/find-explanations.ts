import { compareText } from '../../core/compare-text.ts'
import { AppError } from '../../core/errors.ts'
import { fieldOf, isRecord, stringMapOf, stringOf } from '../../core/json.ts'
import { templateKinds } from '../../core/pod/pod-template.ts'
import { workloadKey } from '../../core/pod/workload.ts'
import { templatedPodsOf } from '../../core/pod/workload-templates.ts'
import type { ScenePod } from '../../gather/explain/scene.ts'
import type { WorkloadReader } from '../../ports/workload-reader.ts'
import type { TextSink } from '../convert.ts'
import {
  type ExplainScope,
  type Explanation,
  explainLivingPod,
  explainNextOf,
  explainStoredPod,
  explainTemplate
} from './explain-pod.ts'
import type { Subject } from './parse-subject.ts'

/** What is looked at. */
export interface Cluster extends ExplainScope {
  /** Where it was read, for people. */
  readonly name: string
  /** Reads objects that make pods; absent where there is no cluster to ask. */
  readonly reader?: WorkloadReader
}

/**
 * What would happen to the pods of objects that were read; objects that make no pods are named on stderr.
 * @throws AppError FILE_INVALID where none makes any
 */
export function explainObjects(
  objects: readonly unknown[],
  {
    file,
    namespace,
    stderr
  }: { readonly file: string; readonly namespace: string; readonly stderr: TextSink },
  cluster: Cluster
): readonly Explanation[] {
  const explanations = objects.flatMap((raw) => {
    const found = explainObject(raw, namespace, cluster)
    if (found.length > 0) return found
    if (templateKinds.some((kind) => kind === stringOf(raw, 'kind')))
      throw new AppError('FILE_INVALID', `${file}: ${nameOf(raw)} has no pod template`)
    stderr.write(`${file}: ${nameOf(raw)} makes no pods and is skipped\n`)
    return []
  })
  if (explanations.length > 0) return explanations
  throw new AppError('FILE_INVALID', `${file}: no object is any of ${templateKinds.join(', ')}`)
}

/** `Kind/name` of an object, as far as it says. */
function nameOf(raw: unknown): string {
  const name = stringOf(fieldOf(raw, 'metadata'), 'name') ?? '(no name)'
  return `${stringOf(raw, 'kind') ?? '(no kind)'}/${name}`
}

/** A pod that the API server gave out, and not its author, has a uid: it is looked at as it was made. */
function explainObject(raw: unknown, namespace: string, cluster: Cluster): readonly Explanation[] {
  const metadata = fieldOf(raw, 'metadata')
  if (stringOf(raw, 'kind') !== 'Pod' || stringOf(metadata, 'uid') === undefined)
    return templatedPodsOf(raw).map((pod) => explainTemplate(pod, namespace, cluster))
  const name = stringOf(metadata, 'name') ?? ''
  const own = stringOf(metadata, 'namespace') ?? namespace
  return [explainStoredPod(raw, { kind: 'Pod', namespace: own, name }, cluster)]
}

/**
 * What would happen to the pods that a subject stands for, one for each kind of pod that it has.
 * @throws AppError USAGE_WRONG where there is nothing of that name
 */
export async function explainSubject(
  subject: Subject,
  namespace: string,
  cluster: Cluster
): Promise<readonly Explanation[]> {
  if (subject.kind === 'namespace') return explainNamespace(subject.name, cluster)
  const found =
    subject.kind === 'pod'
      ? await explainPodNamed(subject.name, namespace, cluster)
      : await explainWorkload(subject, namespace, cluster)
  if (found.length > 0) return found
  const what = subject.kind === 'pod' ? `pod/${subject.name}` : `${subject.type}/${subject.name}`
  throw new AppError(
    'USAGE_WRONG',
    `${cluster.name} has no living pod with GPUs of ${what} in namespace ${namespace}; -n names another, -f takes a manifest`
  )
}

/** Every workload of a namespace by its name, each by the next pod that it would make. */
function explainNamespace(namespace: string, cluster: Cluster): readonly Explanation[] {
  const own = cluster.scene.pods.filter(({ view }) => view.namespace === namespace)
  return youngestOfEach(own).map((pod) =>
    pod.workload.kind === 'Pod' ? explainLivingPod(pod, cluster) : nextOf(pod, pod.workload, cluster)
  )
}

async function explainPodNamed(
  name: string,
  namespace: string,
  cluster: Cluster
): Promise<readonly Explanation[]> {
  const living = cluster.scene.pods.find(({ view }) => view.namespace === namespace && view.name === name)
  if (living !== undefined) return [explainLivingPod(living, cluster, await selectedBy(living, cluster))]
  const raw = await cluster.reader?.read('pod', namespace, name)
  return isRecord(raw) ? explainObject(raw, namespace, cluster) : []
}

/** Node labels that the template of a pod's controller selects; undefined where it cannot be read. */
async function selectedBy(
  { view: { namespace, owner } }: ScenePod,
  { reader }: Cluster
): Promise<Readonly<Record<string, string>> | undefined> {
  if (owner === undefined || reader === undefined) return undefined
  const [template] = templatedPodsOf(await reader.read(owner.kind.toLowerCase(), namespace, owner.name))
  return template === undefined ? undefined : stringMapOf(fieldOf(template.pod, 'spec'), 'nodeSelector')
}

async function explainWorkload(
  { type, name }: Extract<Subject, { kind: 'workload' }>,
  namespace: string,
  cluster: Cluster
): Promise<readonly Explanation[]> {
  const raw = await cluster.reader?.read(type, namespace, name)
  const made = raw === undefined ? [] : explainObject(raw, namespace, cluster)
  if (made.length > 0) return made
  const isMeant = (ref: { readonly kind: string; readonly name: string } | undefined): boolean =>
    ref?.kind.toLowerCase() === type && ref.name === name
  const own = cluster.scene.pods.filter(
    ({ view, workload, owner }) =>
      view.namespace === namespace && (isMeant(workload) || isMeant(owner) || isMeant(view.owner))
  )
  return youngestOfEach(own).map((pod) =>
    nextOf(pod, [pod.workload, pod.owner, pod.view.owner].find(isMeant) ?? pod.owner, cluster)
  )
}

function nextOf(
  pod: ScenePod,
  { kind, name }: { readonly kind: string; readonly name: string },
  cluster: Cluster
): Explanation {
  return explainNextOf(pod, { kind, namespace: pod.view.namespace, name }, cluster)
}

/** One pod for each workload: the youngest, then the first by name; ordered by workload. */
function youngestOfEach(pods: readonly ScenePod[]): readonly ScenePod[] {
  const groups = Map.groupBy(pods, ({ workload }) => workloadKey(workload))
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, own]) => own.toSorted((a, b) => b.createdMs - a.createdMs).slice(0, 1))
}
