import { z } from 'zod'
import { GpuPolicy } from '../api/gpu-policy.ts'
import { AdmissionPart, ComputePart, ExemptionsPart } from '../api/gpu-policy-parts.ts'
import { LabelSelector } from '../api/label-selector.ts'
import type { MethodName } from '../api/method-names.ts'
import { API_GROUP, API_VERSION } from '../api/names.ts'
import { type RuleCode, ruleCodes } from '../api/rules.ts'
import { compareText } from '../compare-text.ts'
import { withoutField } from '../json.ts'
import type { Fault } from './fault.ts'
import { valueAt } from './field-readers.ts'
import { type PolicyMeaning, readMeaning } from './policy-fields.ts'
import { toFaults } from './shape-faults.ts'
import type { PolicyWindow } from './window.ts'

/** How strictly a part of admission acts. */
export type Level = 'off' | 'warn' | 'enforce'

/** A peak of 0.5 needs a slice with 0.6 of the compute. */
const COMPUTE_MARGIN = 1.2

/** A GpuPolicy as the engine uses it: every default filled in, every text read. */
export interface EffectivePolicy {
  readonly name: string
  /** 0 when the object has none, as in files. */
  readonly generation: number
  readonly priority: number
  readonly suspended: boolean
  readonly mode: 'Propose' | 'Approve' | 'Automatic'
  readonly rewrite: Level
  readonly isolation: Level
  /** Levels of single isolation rules, where the policy names them; the others have those of the table of rules. */
  readonly isolationRules: Readonly<Partial<Record<RuleCode, Level>>>
  /** undefined: every namespace that opted in. */
  readonly namespaceSelector: LabelSelector | undefined
  /** Empty: every node. */
  readonly nodeSelector: Readonly<Record<string, string>>
  /** Allowed ways to share, best first; undefined: every one that the nodes offer. */
  readonly methods: readonly MethodName[] | undefined
  /** Canonical names; undefined: every profile, empty: none. */
  readonly allowedProfiles: readonly string[] | undefined
  /** Canonical names of profiles that scaling up brings. */
  readonly provisionable: readonly string[]
  /** Share added to the peak, 0.2 means 20 %. */
  readonly headroomRatio: number
  readonly timeSlicing:
    | { readonly namespaces: readonly string[]; readonly maxReplicas: number; readonly rename: boolean }
    | undefined
  readonly mps: { readonly namespaces: readonly string[]; readonly maxReplicas: number } | undefined
  readonly compute: {
    /** Whether the compute of a slice must fit too. */
    readonly fit: boolean
    /** Peak compute above which a workload keeps its GPU; absent: never. */
    readonly busyAboveRatio?: number
    /** Factor on the peak compute. */
    readonly marginRatio: number
  }
  readonly minCoverageSeconds: number
  readonly lookbackSeconds: number
  readonly onMissingCapacity: 'KeepWholeGpu' | 'NextLarger' | 'Wait'
  /** What becomes of a pod whose share would escape the quota that counts its whole GPU. */
  readonly onQuotaEscape: 'KeepWholeGpu' | 'Allow'
  /** What becomes of a pod that Kueue manages. */
  readonly queued: 'KeepWholeGpu' | 'Rewrite'
  readonly allowPin: boolean
  /** Keys of taints that pods with shares are made to tolerate. */
  readonly toleratedTaints: readonly string[]
  /** How long a pod may wait for its share before its workload gets whole GPUs again, seconds. */
  readonly rescueAfterSeconds: number
  /** How many pods of a workload try a share first, and for how long; undefined: all get it at once. */
  readonly canary: { readonly pods: number; readonly healthyForSeconds: number } | undefined
  /** Longest life of an exemption, seconds. */
  readonly maxExemptionSeconds: number
  /** Times in which nodes may or must not be changed; empty: at any time. See `windowAt`. */
  readonly windows: readonly PolicyWindow[]
}

/** Whom a policy is meant for. */
export type PolicyReach = Pick<
  EffectivePolicy,
  'name' | 'priority' | 'suspended' | 'namespaceSelector' | 'nodeSelector'
>

/** A policy that is turned off by its faults. */
export interface InvalidPolicy {
  readonly kind: 'invalid'
  readonly name: string
  readonly faults: readonly Fault[]
  /** Whom it would have governed; undefined when its selectors cannot be read. */
  readonly reach: PolicyReach | undefined
}

/** What a GpuPolicy object turned out to be. */
export type PolicyRead =
  | {
      readonly kind: 'valid'
      readonly policy: EffectivePolicy
      /** Entries of lists that do not count; the policy works without them. */
      readonly refused: readonly Fault[]
    }
  | InvalidPolicy

const Reach = z.object({
  priority: z.int().optional().catch(undefined),
  suspend: z.boolean().optional().catch(undefined),
  namespaceSelector: LabelSelector.optional(),
  nodeSelector: z.record(z.string(), z.string()).optional()
})

type AdmissionPolicy = Pick<
  EffectivePolicy,
  | 'rewrite'
  | 'isolation'
  | 'isolationRules'
  | 'onMissingCapacity'
  | 'onQuotaEscape'
  | 'queued'
  | 'allowPin'
  | 'toleratedTaints'
>

/** Levels by how a policy spells them. */
export const levels = { Off: 'off', Warn: 'warn', Enforce: 'enforce' } as const

function nameOf(object: unknown): string {
  const name = valueAt(object, ['metadata', 'name'])
  return typeof name === 'string' ? name : ''
}

function readReach(object: unknown): PolicyReach | undefined {
  const read = Reach.safeParse(valueAt(object, ['spec']))
  return read.success
    ? {
        name: nameOf(object),
        priority: read.data.priority ?? 0,
        suspended: read.data.suspend ?? false,
        namespaceSelector: read.data.namespaceSelector,
        nodeSelector: read.data.nodeSelector ?? {}
      }
    : undefined
}

function foreignFault(fault: Fault): Fault {
  return fault.field === 'apiVersion'
    ? { ...fault, message: `must be ${API_GROUP}/${API_VERSION}; "rightslice convert -f FILE" rewrites it` }
    : fault
}

/** Faults of both readers, one per field; the message of the grammar says more than that of the shape. */
function allFaults(shape: readonly Fault[], meaning: readonly Fault[]): readonly Fault[] {
  const told = new Set(meaning.map(({ field }) => field))
  return [...shape.filter(({ field }) => !told.has(field)).map(foreignFault), ...meaning].toSorted(byField)
}

function byField(a: Fault, b: Fault): number {
  return compareText(a.field, b.field)
}

function admissionOf({ mode, admission, exemptions, isolationRules }: GpuPolicy['spec']): AdmissionPolicy {
  const standard = mode === 'Propose' ? 'Warn' : 'Enforce'
  const {
    rewrite = standard,
    isolation = standard,
    onMissingCapacity,
    onQuotaEscape,
    queued,
    toleratedTaints
  } = admission ?? AdmissionPart.parse({})
  const { allowPin } = exemptions ?? ExemptionsPart.parse({})
  return {
    rewrite: levels[rewrite],
    isolation: levels[isolation],
    isolationRules: ruleLevelsOf(isolationRules ?? {}),
    onMissingCapacity,
    onQuotaEscape,
    queued,
    allowPin,
    toleratedTaints
  }
}

function ruleLevelsOf(
  written: NonNullable<GpuPolicy['spec']['isolationRules']>
): AdmissionPolicy['isolationRules'] {
  return Object.fromEntries(
    ruleCodes.flatMap((code) => {
      const level = written[code]
      return level === undefined ? [] : [[code, levels[level]]]
    })
  )
}

function computeOf(
  { compute }: GpuPolicy['spec'],
  busyAboveRatio: number | undefined
): EffectivePolicy['compute'] {
  const { fit } = compute ?? ComputePart.parse({})
  const busy = busyAboveRatio === undefined ? {} : { busyAboveRatio }
  return { fit: fit === 'Enforce', ...busy, marginRatio: COMPUTE_MARGIN }
}

function toPolicy(
  { metadata, spec }: GpuPolicy,
  { busyAboveRatio, canaryHealthySeconds, ...read }: PolicyMeaning
): EffectivePolicy {
  return {
    name: metadata.name,
    generation: metadata.generation ?? 0,
    priority: spec.priority,
    suspended: spec.suspend,
    mode: spec.mode,
    namespaceSelector: spec.namespaceSelector,
    nodeSelector: spec.nodeSelector ?? {},
    methods: spec.methods,
    timeSlicing: spec.timeSlicing,
    mps: spec.mps,
    compute: computeOf(spec, busyAboveRatio),
    canary:
      spec.canary === undefined || canaryHealthySeconds === undefined
        ? undefined
        : { pods: spec.canary.pods, healthyForSeconds: canaryHealthySeconds },
    ...admissionOf(spec),
    ...read
  }
}

/**
 * Reads a GpuPolicy object, from the cluster or a file, in every spelling of its fields; total on any JSON.
 * @returns the policy, or every fault at once with its field and value; a refused profile is no fault, it just does not count
 */
export function toEffectivePolicy(object: unknown): PolicyRead {
  const shape = GpuPolicy.safeParse(withoutField(object, 'status'))
  const { meaning, faults, refused } = readMeaning(valueAt(object, ['spec']))
  if (shape.success && faults.length === 0) {
    return { kind: 'valid', policy: toPolicy(shape.data, meaning), refused }
  }
  const shapeFaults = shape.success ? [] : toFaults(object, shape.error.issues)
  return {
    kind: 'invalid',
    name: nameOf(object),
    faults: allFaults(shapeFaults, [...faults, ...refused]),
    reach: readReach(object)
  }
}
