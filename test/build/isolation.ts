import t from 'tap'
import type { RuleCode } from '../../src/core/api/rules.ts'
import { isRecord, type JsonRecord } from '../../src/core/json.ts'
import { readPod } from '../../src/core/pod/pod-view.ts'
import { readSecurity } from '../../src/core/pod/security-view.ts'
import { workloadOf } from '../../src/core/pod/workload.ts'
import { breachLine } from '../../src/core/rules/tell.ts'
import { type IsolationInput, judgeIsolation, type Verdict } from '../../src/core/rules/verdict.ts'
import { indexNodes } from '../../src/core/sharing/node-index.ts'
import { NOW_MS } from './input.ts'
import { aPolicy, type PolicySpec } from './policy.ts'

/** What a test says about a pod that is judged. */
export interface JudgedSpec {
  /** Fields of container `main`; it asks for no GPU unless they say so. */
  readonly main?: JsonRecord
  /** Further fields of the pod's spec. */
  readonly spec?: JsonRecord
  readonly metadata?: JsonRecord
  /** Takes the place of the whole pod. */
  readonly raw?: unknown
  /** Beside `rightsize=enforce`. */
  readonly labels?: Readonly<Record<string, string>>
  /** Default: one policy in which every rule is on. */
  readonly policies?: readonly PolicySpec[]
  readonly input?: Partial<IsolationInput>
}

/** Limits that ask for one of a resource, or for `count`. */
export function asking(resource: string, count: number | string = 1): JsonRecord {
  return { resources: { limits: { [resource]: String(count) }, requests: { [resource]: String(count) } } }
}

/** Literal variables of a container. */
export function withEnv(...entries: readonly (readonly [name: string, value: string])[]): JsonRecord {
  return { env: entries.map(([name, value]) => ({ name, value })) }
}

/** A raw pod of namespace `team-a` with container `main`. */
export function aJudgedPod({ main = {}, spec = {}, metadata = {}, raw }: JudgedSpec): unknown {
  if (raw !== undefined) return raw
  const containers = [{ name: 'main', image: 'registry.example/app:1', ...main }]
  return { metadata: { name: 'app-0', namespace: 'team-a', ...metadata }, spec: { containers, ...spec } }
}

/** Everything that isolation looks at: a pod that is created in `team-a`, which is on `enforce`. */
export function anIsolationInput(judged: JudgedSpec): IsolationInput {
  const raw = aJudgedPod(judged)
  const policies = judged.policies ?? [
    { isolationRules: { NamedProfileNotAllowed: 'Enforce', RequestNeverMet: 'Enforce' } }
  ]
  return {
    operation: 'CREATE',
    subResource: '',
    pod: readPod(raw, 'team-a'),
    security: readSecurity(raw),
    namespace: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce', ...judged.labels } },
    settings: { systemNamespaces: ['kube-system', 'gke-managed-*'] },
    policies: policies.map(aPolicy),
    nodes: indexNodes([]),
    exemptions: [],
    workload: workloadOf(readPod(raw, 'team-a'), () => undefined),
    nowMs: NOW_MS,
    ...judged.input
  }
}

/** The verdict on such a pod. */
export function verdictOn(judged: JudgedSpec): Verdict {
  return judgeIsolation(anIsolationInput(judged))
}

/** One pod and what a rule says of it: lines that match `says`, one a breach; none when it keeps the rule. */
export interface RuleCase extends JudgedSpec {
  readonly name: string
  readonly says?: readonly (RegExp | string)[]
}

/** Runs a table of pods against one rule, whatever the other rules say. */
export function testRule(code: RuleCode, cases: readonly RuleCase[]): void {
  for (const { name, says = [], ...judged } of cases) {
    t.test(name, async (t) => {
      const verdict = verdictOn(judged)

      const breaches = verdict.kind === 'judged' ? [...verdict.refused, ...verdict.warned] : []
      const lines = breaches.filter(({ rule }) => rule === code).map(breachLine)
      t.equal(lines.length, says.length, lines.join('\n'))
      for (const [index, want] of says.entries()) t.match(lines[index], want)
      for (const line of lines) t.match(line, /^\[\w+\] .+; .+[^.]$/, 'what was seen and the way out')
    })
  }
}

/** The pod in which what `main` does is done by a container of another list. */
export function inEveryList(
  fields: JsonRecord,
  gpu: JsonRecord = {}
): readonly (JudgedSpec & { readonly where: string })[] {
  const other = { name: 'other', image: 'registry.example/other:1', ...fields }
  const main = isRecord(gpu) ? gpu : {}
  return [
    { where: 'container', main: { ...main, ...fields } },
    { where: 'init container', main, spec: { initContainers: [other] } },
    { where: 'native sidecar', main, spec: { initContainers: [{ ...other, restartPolicy: 'Always' }] } },
    { where: 'ephemeral container', main, spec: { ephemeralContainers: [other] } }
  ]
}
