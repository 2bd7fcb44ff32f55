import { ownAnnotations, sliceLabel } from '../api/names.ts'
import { isReasonCode, type ReasonCode } from '../api/reasons.ts'
import { isOwnTemplate } from '../cluster/devices/claim-template.ts'
import type { Decision } from '../decision/decision.ts'
import { reservedKeys, rewriteMarks } from '../decision/marks.ts'
import { MOST_OWN_SELECTORS, parseClaim, subsetsOf } from '../decision/own-output.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import {
  fieldAt,
  fieldOf,
  isRecord,
  type JsonRecord,
  listOf,
  recordOf,
  stringMapOf,
  stringOf
} from '../json.ts'
import { sharingMethods } from '../sharing/methods.ts'

/** What the webhook wrote on a pod when it was created. */
export interface Written {
  readonly decision: ReasonCode
  readonly sentence: string
  /** Version of the evidence at that time. */
  readonly snapshot: string
  /** Label of the share; absent where the pod kept what it asked for. */
  readonly share?: string
}

/** What the webhook wrote on a pod; undefined where it wrote nothing that is known. */
export function readWritten(raw: unknown): Written | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const annotations = stringMapOf(metadata, 'annotations')
  const decision = annotations[ownAnnotations.decision]
  if (decision === undefined || !isReasonCode(decision)) return undefined
  const share = stringMapOf(metadata, 'labels')[sliceLabel]
  return {
    decision,
    sentence: annotations[ownAnnotations.explain] ?? '',
    snapshot: annotations[ownAnnotations.snapshot] ?? '',
    ...(share === undefined ? {} : { share })
  }
}

/** Whether a decision gives a pod what is written on it. */
export function isSameAnswer({ decision: reason, share }: Written, decision: Decision): boolean {
  const label = decision.kind === 'rewrite' ? rewriteMarks(decision).labels[sliceLabel] : undefined
  return reason === decision.reason && share === label
}

/**
 * The pods that a pod that runs may have been before it was decided, the one with the fewest node labels first: without the node that it
 * came to, without our marks, and with whole GPUs in place of its shares. Node labels that a share needs are named by our own sentence,
 * but its user may have selected them too: where that is not known, each may stay or go.
 * @param selected node labels that the pod's template selects; absent: it is not known
 */
export function asCreated(raw: unknown, selected?: Readonly<Record<string, string>>): readonly JsonRecord[] {
  if (!isRecord(raw)) return [{}]
  const { status: _status, ...rest } = raw
  const { nodeName: _node, ...placed } = recordOf(raw, 'spec') ?? {}
  const bare = { ...rest, metadata: withoutMarks(recordOf(raw, 'metadata') ?? {}) }
  const original = parseClaim(
    stringMapOf(fieldOf(raw, 'metadata'), 'annotations')[ownAnnotations.originalResources]
  )
  if (original === undefined) return [{ ...bare, spec: placed }]
  const named = namedSelectors(raw)
  const kept =
    selected === undefined ? subsetsOf(named.slice(0, MOST_OWN_SELECTORS)) : [Object.keys(selected)]
  return kept.map((keys) => {
    const gone = named.filter((key) => !keys.includes(key))
    return { ...bare, spec: withOriginal(placed, original, gone) }
  })
}

/** Keys of the node selector that our sentence names. */
function namedSelectors(raw: unknown): readonly string[] {
  const sentence = readWritten(raw)?.sentence ?? ''
  return Object.entries(stringMapOf(fieldOf(raw, 'spec'), 'nodeSelector'))
    .filter(([key, value]) => sentence.includes(`${key}=${value}`))
    .map(([key]) => key)
}

function withoutMarks(metadata: JsonRecord): JsonRecord {
  const without = (key: 'annotations' | 'labels'): JsonRecord => {
    const map = metadata[key]
    if (!isRecord(map)) return {}
    const kept = Object.entries(map).filter(([name]) => !reservedKeys[key].some((own) => own === name))
    return { [key]: Object.fromEntries(kept) }
  }
  return { ...metadata, ...without('annotations'), ...without('labels') }
}

function withOriginal(spec: JsonRecord, original: JsonRecord, gone: readonly string[]): JsonRecord {
  const { ours, others: claims } = claimsOf(spec)
  const restored = Object.fromEntries(
    ['initContainers', 'containers'].flatMap((list) =>
      Array.isArray(spec[list])
        ? [[list, listOf(spec, list).map((container) => restore(withoutClaims(container, ours), original))]]
        : []
    )
  )
  const own = Object.entries(stringMapOf(spec, 'nodeSelector')).filter(([key]) => !gone.includes(key))
  const { schedulerName, nodeSelector: _selector, resourceClaims: _claims, ...others } = spec
  const isOurs = sharingMethods.some((method) => method.schedulerName === schedulerName)
  return {
    ...others,
    ...restored,
    ...(claims.length === 0 ? {} : { resourceClaims: claims }),
    ...(own.length === 0 ? {} : { nodeSelector: Object.fromEntries(own) }),
    ...(schedulerName === undefined || isOurs ? {} : { schedulerName })
  }
}

/** The claims of a pod, told apart by the names of our templates. */
function claimsOf(spec: JsonRecord): {
  readonly ours: ReadonlySet<string>
  readonly others: readonly unknown[]
} {
  const isOurs = (claim: unknown): boolean => isOwnTemplate(stringOf(claim, 'resourceClaimTemplateName'))
  const claims = listOf(spec, 'resourceClaims')
  const ours = claims.filter(isOurs).map((claim) => stringOf(claim, 'name') ?? '')
  return { ours: new Set(ours), others: claims.filter((claim) => !isOurs(claim)) }
}

/** A map that a claim has left empty does not come back from the API server, and is there again. */
function withoutClaims(container: unknown, ours: ReadonlySet<string>): unknown {
  const { claims: all, ...resources } = recordOf(container, 'resources') ?? {}
  const claims = Array.isArray(all) ? all : []
  const others = claims.filter((claim) => !ours.has(stringOf(claim, 'name') ?? ''))
  if (!isRecord(container) || others.length === claims.length) return container
  const kept = others.length === 0 ? {} : { claims: others }
  return { ...container, resources: { limits: {}, requests: {}, ...resources, ...kept } }
}

function restore(container: unknown, original: JsonRecord): unknown {
  const gpus = fieldOf(original, stringOf(container, 'name') ?? '')
  if (!isRecord(container) || !isRecord(gpus)) return container
  const resources = recordOf(container, 'resources') ?? {}
  const maps = ['limits', 'requests'].flatMap((part) => {
    const map = fieldAt(resources, part)
    return isRecord(map) ? [[part, { ...withoutGpus(map), ...gpus }] as const] : []
  })
  return { ...container, resources: { ...resources, ...Object.fromEntries(maps) } }
}

function withoutGpus(map: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(map).filter(([name]) => parseGpuResourceName(name) === undefined))
}
