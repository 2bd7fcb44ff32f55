import type { RuleCode } from '../../src/core/api/rules.ts'
import { isRecord, type JsonRecord } from '../../src/core/json.ts'
import { type PolicyRead, toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'

type Spec = Record<string, unknown>
type Word = (spec: Spec, value: unknown, namespace: string) => void

/**
 * What each word of a case's policy means in a GpuPolicy. Words that concern namespaces are in `subjects.ts`; words that
 * later work acts on map to nothing.
 */
const words: Readonly<Record<string, Word>> = {
  headroom: (spec, value) => extend(spec, 'mig', { headroom: value }),
  allowedProfiles: (spec, value) => extend(spec, 'mig', { allowedProfiles: value }),
  provisionable: (spec, value) => extend(spec, 'mig', { provisionable: value }),
  allowShared: (spec, value, namespace) => {
    if (value === true) spec.timeSlicing = { namespaces: [namespace], maxReplicas: 48 }
  },
  window: (spec, value) => extend(spec, 'history', { lookback: value }),
  minHistory: (spec, value) => extend(spec, 'history', { minCoverage: value }),
  isolation: (spec, value) => extend(spec, 'admission', { isolation: levelOf(value) }),
  envFrom: ruleWord('UnknownEnvironment'),
  ldPreload: ruleWord('PreloadIntoToolkit'),
  hostPID: ruleWord('HostPidWithGpu'),
  hostIPC: ruleWord('HostIpcWithSharedGpu'),
  busyAbove: (spec, value) => extend(spec, 'compute', { busyAbove: String(value) })
}

/** Words that say what is the product's only behaviour so far, or what is judged elsewhere. */
const settled = new Set(
  'optIn coverage sharedFit distributed queued noHistory busyMetric busyQuantile capacityBound vmRuntimes gkeSteering namespace activeWindow'.split(
    ' '
  )
)

/** What a level is called: `reject` and `enforce`, `warn`, and everything else that lets pods in. */
const levelWords: readonly (readonly [RegExp, string])[] = [
  [/^(reject|refuse|deny|enforce)/, 'Enforce'],
  [/^warn/, 'Warn'],
  [/^(off|allow|ignore|accept)/, 'Off']
]

function levelOf(value: unknown): string | undefined {
  return levelWords.find(([words]) => words.test(String(value).toLowerCase()))?.[1]
}

/** A choice about one isolation rule; a word that is no level leaves the rule's own. */
function ruleWord(code: RuleCode): Word {
  return (spec, value) => {
    const level = levelOf(value)
    if (level !== undefined) extend(spec, 'isolationRules', { [code]: level })
  }
}

function extend(spec: Spec, key: string, fields: JsonRecord): void {
  const before = spec[key]
  spec[key] = { ...(isRecord(before) ? before : {}), ...fields }
}

/**
 * The policy that a case describes, through the reader that files go through.
 * A case is about memory unless it names a bound for compute.
 */
export function policyOf(described: JsonRecord, namespace: string): PolicyRead {
  const spec: Spec = { mode: 'Approve', compute: { fit: 'Ignore' } }
  for (const [word, value] of Object.entries(described)) {
    const apply = words[word]
    if (apply !== undefined) apply(spec, value, namespace)
    else if (!settled.has(word)) throw new Error(`no meaning for the policy word "${word}"`)
  }
  return toEffectivePolicy({
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuPolicy',
    metadata: { name: 'case' },
    spec
  })
}
