import { isDeepStrictEqual } from 'node:util'
import type { NodeView } from '../../src/core/cluster/node-view.ts'
import { isRecord, type JsonRecord } from '../../src/core/json.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { candidatesOf } from '../../src/core/sharing/candidates.ts'
import { indexNodes, type NodeIndex } from '../../src/core/sharing/node-index.ts'
import { type CaseFile, recordOr } from './case-file.ts'
import { laterFields } from './later.ts'
import { checkRejects } from './rejects.ts'
import { gpuOf, type Outcome, requestsAgree } from './run-case.ts'
import { wrongPeaks, wrongRatios } from './use-checks.ts'
import type { UseInCase } from './use-in-case.ts'

/** What a check may look at. */
export interface Checked {
  readonly outcomes: readonly Outcome[]
  readonly nodes: { readonly views: readonly NodeView[]; readonly index: NodeIndex }
  readonly file: CaseFile
  /** What was measured, where the case gives samples. */
  readonly use: UseInCase | undefined
}

/** Compares one field; returns what is wrong, one sentence each. */
type FieldCheck = (want: unknown, checked: Checked) => readonly string[]

function perPod(compare: (want: unknown, outcome: Outcome) => string | undefined): FieldCheck {
  return (want, { outcomes }) =>
    outcomes.flatMap((outcome, index) => {
      const own = Array.isArray(want) ? want[index] : want
      const wrong = own === null || own === undefined ? undefined : compare(own, outcome)
      return wrong === undefined ? [] : [outcomes.length > 1 ? `pod ${index + 1}: ${wrong}` : wrong]
    })
}

function differ(what: string, want: unknown, got: unknown): string | undefined {
  return isDeepStrictEqual(want, got)
    ? undefined
    : `${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`
}

const resourcePath = /\/resources\//

const fieldChecks: Readonly<Record<string, FieldCheck>> = {
  gpu: perPod(
    (want, { pod }) =>
      differ('gpu', want, gpuOf(pod)) ?? (requestsAgree(pod) ? undefined : 'requests and limits differ')
  ),
  patch: perPod((want, { patch }) => {
    const touched = patch.some(({ path }) => resourcePath.test(path))
    const got = { none: !touched, empty: patch.length === 0, resources: touched }
    return recordOr(got)[String(want)] === true
      ? undefined
      : `patch: want ${String(want)}, got ${patch.map(({ path }) => path).join(' ')}`
  }),
  nodeSelector: perPod((want, { pod }) => subset('nodeSelector', want, readPod(pod, '').nodeSelector)),
  labels: perPod((want, { pod }) => subset('labels', want, readPod(pod, '').labels)),
  tolerations: perPod((want, { pod }) => {
    const keys = readPod(pod, '').tolerations.map(({ key }) => key)
    const missing = listed(want).find((key) => !keys.includes(String(key)))
    return missing === undefined ? undefined : `tolerations: ${JSON.stringify(missing)} is not tolerated`
  }),
  neededMiB: perPod((want, { decision }) => {
    const found = Object.fromEntries(
      decision.evidence.findings.map(({ container, neededMiB }) => [container, neededMiB])
    )
    if (isRecord(want))
      return Object.keys(want).every((name) => isNear(want[name], found[name]))
        ? undefined
        : differ('neededMiB', want, found)
    return Object.values(found).some((value) => isNear(want, value))
      ? undefined
      : differ('neededMiB', want, found)
  }),
  usableMiB: (want, { nodes }) => {
    const candidates = candidatesOf(nodes.index.classes)
    return Object.entries(recordOr(want)).flatMap(([resource, memory]) => {
      const got = candidates.find((candidate) => candidate.resource === resource)?.usableMiB ?? 'unknown'
      return isNear(memory, got) || memory === got
        ? []
        : `usableMiB of ${resource}: want ${String(memory)}, got ${got}`
    })
  },
  offers: (want, { nodes }) =>
    Object.entries(recordOr(want)).flatMap(([name, counts]) => {
      const got = offersOf(nodes.views.find((view) => view.name === name))
      if (isRecord(counts) && Object.keys(counts).length === 0)
        return differ(`offers of ${name}`, {}, got) ?? []
      return Object.entries(recordOr(counts)).flatMap(
        ([resource, count]) => differ(`${resource} on ${name}`, count, got[resource] ?? 0) ?? []
      )
    }),
  names: perPod((want, { said }) => {
    const missing = listed(want).find((word) => !said.includes(String(word)))
    return missing === undefined
      ? undefined
      : `names: ${JSON.stringify(missing)} is not said in: ${said.replaceAll('\n', ' | ')}`
  }),
  rejects: checkRejects,
  peakMiB: (want, { use }) =>
    use === undefined ? ['peakMiB: the case gives no samples'] : wrongPeaks(want, use),
  peakRatio: (want, { file }) => wrongRatios(want, file),
  choice: () => []
}

/** `names` and `tolerations` are lists already where a case has one pod. */
const listFields = new Set(['names', 'tolerations'])

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function subset(what: string, want: unknown, got: JsonRecord): string | undefined {
  const wrong = Object.entries(recordOr(want)).find(([key, value]) => got[key] !== value)
  return wrong === undefined
    ? undefined
    : `${what}: want ${wrong[0]}=${String(wrong[1])}, got ${String(got[wrong[0]])}`
}

function isNear(want: unknown, got: unknown): boolean {
  return typeof want === 'number' && typeof got === 'number' && Math.abs(want - got) <= 1
}

/** What a node offers: shares by resource, and whole GPUs where the name means a whole GPU there. */
function offersOf(node: NodeView | undefined): Readonly<Record<string, number>> {
  if (node === undefined) return {}
  const shares = indexNodes([node]).classes.flatMap(({ offers }) => offers)
  const counts = Object.fromEntries(shares.map(({ resource, count }) => [resource, count]))
  const whole = node.allocatable['nvidia.com/gpu'] ?? 0
  const meansWhole =
    node.labels['nvidia.com/mig.strategy'] !== 'single' &&
    node.labels['nvidia.com/mig.config.state'] !== 'rebooting'
  return whole > 0 && meansWhole && !Object.hasOwn(counts, 'nvidia.com/gpu')
    ? { ...counts, 'nvidia.com/gpu': whole }
    : counts
}

/** Everything in `check` that does not hold, and the fields that later work will look at. */
export function runChecks(
  check: JsonRecord,
  checked: Checked
): { readonly wrong: readonly string[]; readonly later: readonly string[] } {
  const wrong: string[] = []
  const later: string[] = []
  for (const [field, want] of Object.entries(check)) {
    const own = fieldChecks[field]
    if (field === 'oneOf') wrong.push(...oneOf(want, checked))
    else if (own !== undefined) wrong.push(...own(asList(field, want, checked), checked))
    else if (Object.hasOwn(laterFields, field)) later.push(field)
    else wrong.push(`no check for the field "${field}"`)
  }
  return { wrong, later }
}

function asList(field: string, want: unknown, { outcomes }: Checked): unknown {
  return listFields.has(field) && outcomes.length === 1 ? [want] : want
}

function oneOf(blocks: unknown, checked: Checked): readonly string[] {
  const results = listed(blocks).map((block) => runChecks(recordOr(block), checked).wrong)
  return results.some((wrong) => wrong.length === 0)
    ? []
    : [`none of oneOf holds: ${results.flat().join('; ')}`]
}
