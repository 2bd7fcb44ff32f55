import { ownAnnotations } from '../api/names.ts'
import { quantityToCount } from '../api/quantity.ts'
import { isOwnTemplate } from '../cluster/devices/claim-template.ts'
import { toleratesTaint } from '../cluster/reach.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { fieldOf, isRecord, type JsonRecord } from '../json.ts'
import { gpuCountsOf, WHOLE_GPU } from '../pod/gpu-request.ts'
import type { ContainerView, PodView } from '../pod/pod-view.ts'
import { mayBeRequired } from '../sharing/candidates.ts'
import type { Ask } from '../sharing/method.ts'
import { shareKeys, sharingMethods } from '../sharing/methods.ts'
import type { ContainerChange, Rewrite } from './decision.ts'
import { carries, rewriteMarks } from './marks.ts'

/** Most entries of a node selector that are tried as ours; a share of GKE adds up to five of them, others one or two. */
export const MOST_OWN_SELECTORS = 5

/**
 * The pods that a pod may have been before a rewrite that its annotation claims; none when it claims none.
 * A share may have added to node selector and tolerations, and what was there before is not recorded, so every combination counts.
 * The claim is not believed: each is decided anew, and counts only if the same shares come out.
 * @param named keys of taints that policies let pods with shares tolerate
 */
export function claimedOriginals(pod: PodView, named: ReadonlySet<string> = new Set()): readonly PodView[] {
  const claim = parseClaim(pod.annotations[ownAnnotations.originalResources])
  if (claim === undefined) return []
  const ours = ownClaimsOf(pod)
  const containers = pod.containers.map((container) => {
    const original = fieldOf(claim, container.name)
    const isChanged = asksForGpu(container) || container.claims.some((name) => ours.has(name))
    return isRecord(original) && isChanged ? restoreContainer(container, original, ours) : container
  })
  const claims = pod.claims.filter(({ name }) => !ours.has(name))
  const added = Object.keys(pod.nodeSelector).filter(mayBeRequired)
  const selectors = subsetsOf(added.sort().slice(0, MOST_OWN_SELECTORS)).map((keys) =>
    without(pod.nodeSelector, keys)
  )
  const before = { ...pod, containers, claims }
  return tolerationsBefore(pod, named).flatMap((tolerations) =>
    schedulersBefore(pod).flatMap((schedulerName) =>
      selectors.map((nodeSelector) => ({ ...before, schedulerName, tolerations, nodeSelector }))
    )
  )
}

/** A method's scheduler may be named by us, by its own webhook before us, or by the user. */
function schedulersBefore({ schedulerName }: PodView): readonly (string | undefined)[] {
  const isOfMethod = sharingMethods.some((method) => method.schedulerName === schedulerName)
  return isOfMethod && schedulerName !== undefined ? [undefined, schedulerName] : [schedulerName]
}

/** The tolerations as they are, and where some may be for taints of a share or of a policy, without all of these too. */
function tolerationsBefore(
  { tolerations }: PodView,
  named: ReadonlySet<string>
): readonly PodView['tolerations'][] {
  const others = tolerations.filter(({ key }) => key === undefined || !(shareKeys.has(key) || named.has(key)))
  return others.length === tolerations.length ? [tolerations] : [tolerations, others]
}

/** Whether the pod already asks for exactly what the decision gives; whole GPUs beside it do not count. */
export function alreadyHas(
  pod: PodView,
  { changes, nodeSelector, tolerates, schedulerName }: Rewrite
): boolean {
  return (
    Object.entries(nodeSelector).every(([key, value]) => pod.nodeSelector[key] === value) &&
    tolerates.every((taint) => toleratesTaint(pod.tolerations, taint)) &&
    (schedulerName === undefined || pod.schedulerName === schedulerName) &&
    placesIn(pod, changes).every(
      ({ container, ask }) =>
        container !== undefined && asksFor(container, ask) && claimsOnly(pod, container, ask)
    ) &&
    sharesClaims(pod, changes)
  )
}

/** Whether all claims of the container are one, made from the template that it is to ask by; none where it is to have none. */
function claimsOnly({ claims }: PodView, container: ContainerView, { claimTemplate }: Ask): boolean {
  if (claimTemplate === undefined) return container.claims.length === 0
  const [name, ...others] = container.claims
  return others.length === 0 && claims.some((own) => own.name === name && own.template === claimTemplate)
}

/** Whether those containers, and only those, have one claim that are to run in one share. */
function sharesClaims(pod: PodView, changes: readonly ContainerChange[]): boolean {
  const pairs = placesIn(pod, changes).flatMap(({ container, ask }, index) =>
    ask.claimTemplate === undefined ? [] : [[changes[index]?.claim, container?.claims[0]] as const]
  )
  const isOneToOne = (from: 0 | 1, to: 0 | 1): boolean =>
    pairs.every((a) => pairs.every((b) => a[from] !== b[from] || a[to] === b[to]))
  return isOneToOne(0, 1) && isOneToOne(1, 0)
}

/** Whether nothing is left to change on a pod that already has its shares. */
export function isSettled(pod: PodView, decision: Rewrite): boolean {
  return carries(pod, rewriteMarks(decision)) && !placesIn(pod, decision.changes).some(hasWholeBeside)
}

/** The containers of the pod as they are now, each with the share that it is to have. */
interface Place {
  readonly container: ContainerView | undefined
  readonly ask: Ask
}

function placesIn({ containers }: PodView, changes: readonly ContainerChange[]): readonly Place[] {
  const key = ({ list, index }: ContainerView): string => `${list}/${index}`
  const byKey = new Map(containers.map((container) => [key(container), container]))
  return changes.map(({ container, ask }) => ({ container: byKey.get(key(container)), ask }))
}

/** Whether the container asks for all of it and for no other GPU resource; a whole GPU beside it is seen by `hasWholeBeside`. */
function asksFor(container: ContainerView, { resources }: Ask): boolean {
  const others = gpuCountsOf(container).filter(
    ([name]) => name !== WHOLE_GPU && !Object.hasOwn(resources, name)
  )
  return (
    others.length === 0 &&
    Object.entries(resources).every(
      ([name, count]) => quantityToCount(fieldOf(container.limits, name) ?? 0) === count
    )
  )
}

/** Whole GPUs come back beside a share where the namespace has a default for them. */
function hasWholeBeside({ container, ask }: Place): boolean {
  return (
    !Object.hasOwn(ask.resources, WHOLE_GPU) &&
    [container?.limits, container?.requests].some((map) => fieldOf(map, WHOLE_GPU) !== undefined)
  )
}

/** GPU resources by container, as the annotation says they were asked for; undefined where it says nothing that can be read. */
export function parseClaim(text: string | undefined): JsonRecord | undefined {
  if (text === undefined) return undefined
  try {
    const claim: unknown = JSON.parse(text)
    return isRecord(claim) ? claim : undefined
  } catch {
    return undefined
  }
}

/** Names of the pod's claims that are made from a template of ours, as its name says it. */
function ownClaimsOf({ claims }: PodView): ReadonlySet<string> {
  const ours = claims.filter(({ template }) => isOwnTemplate(template))
  return new Set(ours.map(({ name }) => name))
}

function restoreContainer(
  container: ContainerView,
  original: JsonRecord,
  ours: ReadonlySet<string>
): ContainerView {
  const claims = container.claims.filter((name) => !ours.has(name))
  // A map that a claim has left empty does not come back from the API server.
  const emptied = claims.length < container.claims.length ? {} : undefined
  return {
    ...container,
    claims,
    limits: restoreMap(container.limits ?? emptied, original),
    requests: hasGpu(container.requests) ? restoreMap(container.requests, original) : container.requests
  }
}

/** What has none now was given none: it only has the name of one that was. */
function asksForGpu({ limits }: ContainerView): boolean {
  return Object.entries(limits ?? {}).some(
    ([name, quantity]) => parseGpuResourceName(name) !== undefined && quantityToCount(quantity) !== 0
  )
}

function hasGpu(map: JsonRecord | undefined): boolean {
  return map !== undefined && Object.keys(map).some((name) => parseGpuResourceName(name) !== undefined)
}

function restoreMap(map: JsonRecord | undefined, original: JsonRecord): JsonRecord | undefined {
  if (map === undefined) return undefined
  const others = Object.entries(map).filter(([name]) => parseGpuResourceName(name) === undefined)
  return Object.fromEntries([...others, ...Object.entries(original)])
}

/** Every selection of the keys, the empty one first. */
export function subsetsOf(keys: readonly string[]): readonly (readonly string[])[] {
  return keys.reduce<readonly (readonly string[])[]>(
    (subsets, key) => [...subsets, ...subsets.map((subset) => [...subset, key])],
    [[]]
  )
}

function without(map: Readonly<Record<string, string>>, keys: readonly string[]): PodView['nodeSelector'] {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)))
}
