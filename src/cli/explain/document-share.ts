import { printMiB } from '../../core/api/quantity.ts'
import type { ContainerChange, Rewrite } from '../../core/decision/decision.ts'
import type { Need } from '../../core/decision/need.ts'
import type { ShareTrace, Trace } from '../../core/explain/trace.ts'
import { requirementsKey } from '../../core/sharing/candidates.ts'
import type { ScenePod } from '../../gather/explain/scene.ts'
import type { ShareDocument } from './share-document.ts'

/** Most pods that are named as holders of a share. */
const MOST_HOLDERS = 3

/** What a share is judged beside. */
interface ShareFrame {
  readonly trace: Trace
  /** What the pod gets, or would get. */
  readonly rewrite: Rewrite | undefined
  readonly pods: readonly ScenePod[]
}

/** One share, and what speaks for and against it, for the document. */
export function documentShare(share: ShareTrace, { trace, rewrite, pods }: ShareFrame): ShareDocument {
  const { candidate, refusal, limit, fill, isolates } = share
  const { method, resource, requires, usableMiB, computeRatio, separation } = candidate
  const gets = (rewrite?.changes ?? []).filter((change) => isOf(change, share))
  return {
    share: candidate.share,
    method,
    resource,
    nodeLabels: { ...requires },
    usableMiB,
    computeRatio,
    separation,
    isolates,
    chosenFor: gets.map(({ container }) => container.name),
    refused: refusal,
    overLimit: limit,
    fits: fitsOf(share, trace),
    capacity:
      fill === undefined
        ? undefined
        : {
            ...fill,
            free: Math.max(0, fill.offered - fill.bound - fill.waiting),
            heldBy: holdersOf(share, pods)
          }
  }
}

/** Whether a container gets the share by this change. */
export function isOf(
  { resource, share, requires }: ContainerChange,
  { candidate }: Pick<ShareTrace, 'candidate'>
): boolean {
  return (
    candidate.resource === resource &&
    candidate.share === share &&
    requirementsKey(candidate.requires) === requirementsKey(requires)
  )
}

function fitsOf(share: ShareTrace, { containers }: Trace): ShareDocument['fits'] {
  return share.fits.flatMap(({ container, verdict }) => {
    const need = containers.find((entry) => entry.container.name === container)?.need
    if (need?.kind !== 'need') return []
    const own = verdict === 'fits' && share.limit !== undefined ? 'over-limit' : verdict
    return [{ container, verdict: own, inWords: verdictWords[own](share, need) }]
  })
}

type Verdict = ShareDocument['fits'][number]['verdict']

const verdictWords: Readonly<Record<Verdict, (share: ShareTrace, need: Need) => string>> = {
  fits: ({ candidate: { toMeasure, usableMiB = 0 } }, { neededMiB }) =>
    toMeasure === true ? 'fits, cut to measure' : `fits, ${printMiB(usableMiB - neededMiB)} to spare`,
  'too-small': ({ candidate: { usableMiB = 0 } }, { neededMiB }) =>
    `too small by ${printMiB(neededMiB - usableMiB)}`,
  'over-limit': ({ limit }) =>
    `would fit, but ${limit?.sentence ?? 'a bound of the namespace stands in the way'}`,
  'too-little-compute': ({ candidate: { computeRatio = 0 } }, { neededCompute = 0 }) =>
    `too little compute: ${percentOf(computeRatio)} of a GPU, ${percentOf(neededCompute)} needed`,
  'memory-unknown': () => 'its memory is not known',
  'compute-unknown': () => 'its compute is not known'
}

function percentOf(part: number): string {
  return `${Math.round(part * 100)}%`
}

/** Pods on the nodes of the share that ask for its resource. */
function holdersOf({ candidate: { where, resource } }: ShareTrace, pods: readonly ScenePod[]): string[] {
  const nodes = new Set(where.flatMap((nodeClass) => nodeClass.nodes.map(({ name }) => name)))
  return pods
    .filter(({ taken }) => nodes.has(taken.node) && (taken.requests[resource] ?? 0) > 0)
    .slice(0, MOST_HOLDERS)
    .map(({ view: { namespace, name } }) => `${namespace}/${name}`)
}
