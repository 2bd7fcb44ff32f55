import { ownAnnotations, sliceLabel } from '../../core/api/names.ts'
import { reasons } from '../../core/api/reasons.ts'
import { printDuration } from '../../core/policy/duration.ts'
import { showLine } from '../../core/rules/show.ts'
import type { ExplanationDocument } from './explain-document.ts'
import { renderContainers } from './render-containers.ts'
import { showHead, whyRows } from './render-head.ts'
import { renderOperation } from './render-operation.ts'
import { label, type Row } from './rows.ts'

/** One answer as text for people: what and why first, then all that it rests on, then how to change it. */
export function renderExplanation(document: ExplanationDocument): string {
  const rows: readonly Row[] = [
    ...whyRows(document),
    ...podRows(document),
    ...namespaceRows(document),
    ...policyRows(document),
    ...trialRows(document),
    ...renderContainers(document),
    ...isolationRows(document),
    ...markRows(document),
    ...label('change it', document.waysOut),
    ...label(
      'read on',
      codesOf(document).map((code) => `rightslice explain --reason ${code}`)
    )
  ]
  return `${[showHead(document), ...rows.map(lineOf)].join('\n')}\n`
}

function lineOf([name, text]: Row): string {
  return `  ${name.padEnd(14)} ${showLine(text)}`.trimEnd()
}

/** Codes whose pages say more: that of the head, and the rules for which the pod is refused. */
function codesOf({ subject, written, reason, isolation }: ExplanationDocument): readonly string[] {
  const head = subject.kind === 'Pod' && written !== undefined ? written.decision : reason
  return [...new Set([head, ...isolation.refused.map(({ rule }) => rule)])]
}

function podRows({ pods, subject }: ExplanationDocument): readonly Row[] {
  const lines = pods.map(({ has, reason, pods: count, names }) => {
    const others = count > names.length ? ` and ${count - names.length} more` : ''
    const verb = count === 1 ? 'has' : 'have'
    return `${count} ${verb} ${has} (${reason ?? 'never decided'}): ${names.join(', ')}${others}`
  })
  return label(subject.kind === 'Pod' ? 'siblings' : 'pods now', lines)
}

const levelWords = {
  off: 'it has not opted in, so its pods are left as they are',
  warn: 'pods are only told what they would get',
  enforce: 'pods are changed'
} as const

const isolationWords = {
  hardware: 'only shares that are separated in hardware',
  'shared-ok': 'its pods may share memory and faults with others, where the policy lists it'
} as const

function namespaceRows({
  subject,
  namespace: { rightsize, isolation }
}: ExplanationDocument): readonly Row[] {
  return label('namespace', [
    `${subject.namespace}: rightsize=${rightsize} (${levelWords[rightsize]})`,
    ...(rightsize === 'off' ? [] : [`isolation=${isolation} (${isolationWords[isolation]})`])
  ])
}

function policyRows({ policies, rules, namespace }: ExplanationDocument): readonly Row[] {
  if (policies.length === 0) return [['policy', 'there is no GpuPolicy in the cluster']]
  const lines = policies.flatMap(({ name, standing, why }) => {
    if (standing !== 'governs' || rules === undefined) return [`${name} does not govern: ${why}`]
    const verb = namespace.rightsize === 'off' ? 'would govern' : 'governs'
    return [`${name} ${verb}: ${why}`, `it says ${tellRules(rules)}`]
  })
  return label('policy', lines)
}

function tellRules({
  mode,
  rewrite,
  headroomRatio,
  onMissingCapacity,
  methods,
  allowedProfiles
}: NonNullable<ExplanationDocument['rules']>): string {
  return [
    `mode ${mode}`,
    `rewrite ${rewrite}`,
    `headroom ${Math.round(headroomRatio * 100)}%`,
    `onMissingCapacity ${onMissingCapacity}`,
    ...(methods === undefined ? [] : [`methods ${methods.join(', ')}`]),
    ...(allowedProfiles === undefined
      ? []
      : [`profiles ${allowedProfiles.length === 0 ? 'none' : allowedProfiles.join(', ')}`])
  ].join('; ')
}

function trialRows({ fallback, canary }: ExplanationDocument): readonly Row[] {
  const fell =
    fallback === undefined
      ? []
      : [`pods waited for ${fallback.share} in vain: whole GPUs until ${fallback.until}`]
  return [...label('fallback', fell), ...label('canary', canary === undefined ? [] : [tellCanary(canary)])]
}

type Canary = NonNullable<ExplanationDocument['canary']>

function tellCanary(canary: Canary): string {
  const { state, share = 'a share', until, message } = canary
  switch (state) {
    case 'not-started':
      return `no pod has tried a share yet${tellRule(canary)}`
    case 'trial':
      return `some pods try ${share} now${tellRule(canary)}`
    case 'passed':
      return `${share} has passed, so all pods may have it`
    case 'failed':
      return `${share} has failed${phrase(', not given until ', until)}${phrase(': ', message)}`
  }
}

function tellRule({ pods, healthyForSeconds }: Canary): string {
  if (pods === undefined || healthyForSeconds === undefined) return ''
  const tries = pods === 1 ? '1 pod tries' : `${pods} pods try`
  return `; by the policy ${tries} a share for ${printDuration(healthyForSeconds)} before the others`
}

function phrase(words: string, text: string | undefined): string {
  return text === undefined ? '' : `${words}${text}`
}

/** A replica that has the name of a whole GPU is one to the scheduler. */
const wholeGpuWords =
  'a whole GPU is shared with no other pod, unless its node hands out replicas under the name nvidia.com/gpu'

function isolationRows({ isolation, reason }: ExplanationDocument): readonly Row[] {
  const { keepsApart, judged, refused, warned } = isolation
  const { marks } = reasons[reason]
  if (marks === 'untouched') return []
  const apart = keepsApart.length === 0 && marks === 'written' ? [wholeGpuWords] : keepsApart
  if (!judged) {
    const why = 'a snapshot leaves out environment and volumes of pods'
    return label('isolation', [...apart, `the isolation rules were not asked: ${why}`])
  }
  const rules = [
    ...refused.map(({ sentence }) => `refused: ${sentence}`),
    ...warned.map(({ sentence }) => `warned: ${sentence}`)
  ]
  return label('isolation', [...apart, ...(rules.length === 0 ? ['no isolation rule is broken'] : rules)])
}

/** What the webhook wrote, or, for a pod that is not there yet, would write. */
function markRows({ subject, written, patch }: ExplanationDocument): readonly Row[] {
  if (written === undefined) return label('it writes', patch.flatMap(renderOperation))
  const share = written.share === undefined ? [] : [`label ${sliceLabel}: ${written.share}`]
  return label(subject.kind === 'Pod' ? 'on the pod' : 'youngest pod', [
    `${ownAnnotations.decision}: ${written.decision}`,
    ...share,
    `${ownAnnotations.snapshot}: ${written.snapshot}`
  ])
}
