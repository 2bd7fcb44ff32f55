import t from 'tap'
import type { Finding, NamespaceSweep } from '../../../src/core/audit/finding.ts'
import { type ReportedWorkload, toPolicyReport } from '../../../src/core/audit/policy-report.ts'
import type { Violation } from '../../../src/core/audit/violation.ts'
import { fieldAt, fieldOf, listOf } from '../../../src/core/json.ts'

const devices: Violation = { rule: 'HostDevicePath', level: 'enforce', sentence: 'seen; way out' }

function aFinding(change: Partial<Finding> = {}): Finding {
  return {
    namespace: 'team-a',
    workload: { kind: 'Deployment', name: 'bad' },
    template: 'hash-1',
    owner: undefined,
    policy: 'standard',
    podCount: 7,
    pods: [{ name: 'bad-0', uid: 'u-0' }],
    violations: [devices],
    exempt: [],
    isUnreviewed: false,
    ...change
  }
}

function aSweep(change: Partial<NamespaceSweep> = {}): NamespaceSweep {
  const findings = [aFinding()]
  return {
    namespace: 'team-a',
    isWhole: true,
    podCount: 9,
    findings,
    podsLeftOut: 0,
    violatingPods: 7,
    unreviewedPods: 0,
    counts: [],
    ...change
  }
}

function aWorkload(name: string, candidate?: ReportedWorkload['candidate']): ReportedWorkload {
  return { workload: { kind: 'Deployment', name }, apiVersion: 'apps/v1', policy: 'standard', candidate }
}

function shown(...input: Parameters<typeof toPolicyReport>): readonly string[] {
  return listOf(toPolicyReport(...input), 'results').map((result) =>
    ['result', 'category', 'rule'].map((key) => fieldOf(result, key)).join(' | ')
  )
}

t.test('what breaks isolation fails, with the pods that do', async (t) => {
  t.strictSame(toPolicyReport(aSweep(), []), {
    scope: { apiVersion: 'v1', kind: 'Namespace', name: 'team-a' },
    summary: { pass: 0, fail: 1, warn: 0, error: 0, skip: 0 },
    results: [
      {
        source: 'rightslice',
        policy: 'standard',
        scored: true,
        result: 'fail',
        category: 'GPU isolation',
        rule: 'HostDevicePath',
        severity: 'high',
        message: 'seen; way out',
        resources: [{ apiVersion: 'v1', kind: 'Pod', namespace: 'team-a', name: 'bad-0', uid: 'u-0' }],
        properties: { workload: 'Deployment/bad', pods: '7', level: 'enforce' }
      }
    ]
  })
})

t.test('so does what is only warned of, with less weight', async (t) => {
  const finding = aFinding({ violations: [{ ...devices, level: 'warn' }], policy: undefined })

  t.match(toPolicyReport(aSweep({ findings: [finding] }), []), {
    results: [{ result: 'fail', severity: 'medium', policy: 'rightslice', properties: { level: 'warn' } }]
  })
})

t.test('each workload passes that breaks no rule, unless not all was seen', async (t) => {
  const workloads = [aWorkload('bad'), aWorkload('good')]
  const pass = 'pass | GPU isolation | NoViolations'

  t.strictSame(shown(aSweep(), workloads), ['fail | GPU isolation | HostDevicePath', pass])
  t.strictSame(shown(aSweep({ isWhole: false, findings: [] }), workloads), [])
  t.strictSame(shown(aSweep({ podsLeftOut: 1, findings: [] }), workloads), [])
})

t.test('sharing: what could be smaller, what somebody wants, what is right, what nobody knows', async (t) => {
  const workloads = [
    aWorkload('large', { fits: true, reason: 'FitsMigProfile', message: 'm' }),
    aWorkload('pinned', { fits: false, reason: 'Pinned', message: 'm' }),
    aWorkload('full', { fits: false, reason: 'PeakTooLarge', message: 'm' }),
    aWorkload('new')
  ]

  t.strictSame(
    shown(aSweep({ findings: [] }), workloads).filter((line) => line.includes('sharing')),
    [
      'warn | GPU sharing | FitsMigProfile',
      'skip | GPU sharing | Pinned',
      'pass | GPU sharing | PeakTooLarge'
    ]
  )
})

t.test('a pod that nobody reviewed is warned of, and its workload breaks no rule', async (t) => {
  const finding = aFinding({ violations: [], isUnreviewed: true })

  t.strictSame(shown(aSweep({ findings: [finding] }), [aWorkload('bad')]), [
    'warn | GPU sharing | WebhookWasDown',
    'pass | GPU isolation | NoViolations'
  ])
})

t.test('a report is bounded, the worst come first, and the summary counts all', async (t) => {
  const findings = Array.from({ length: 150 }, (_, index) =>
    aFinding({ template: `hash-${index}`, workload: { kind: 'Pod', name: `bad-${index}` } })
  )
  const workloads = Array.from({ length: 100 }, (_, index) => aWorkload(`good-${index}`))

  const report = toPolicyReport(aSweep({ findings }), workloads)

  const results = listOf(report, 'results').map((result) => fieldOf(result, 'result'))
  t.equal(results.length, 200)
  t.equal(results.filter((result) => result === 'fail').length, 150)
  t.match(fieldAt(report, 'summary'), { fail: 150, pass: 100 })
})

t.test('the order of what is known does not matter', async (t) => {
  const workloads = ['a', 'b', 'c'].map((name) =>
    aWorkload(name, { fits: true, reason: 'FitsMigProfile', message: 'm' })
  )

  t.strictSame(toPolicyReport(aSweep(), workloads), toPolicyReport(aSweep(), workloads.toReversed()))
})

t.test('what an exemption lifts is skipped, and names it', async (t) => {
  const exempt = [{ rule: 'HostDevicePath', exemption: 'agent' }] as const
  const report = toPolicyReport(aSweep({ findings: [aFinding({ violations: [], exempt })] }), [])

  t.match(fieldOf(report, 'summary'), { fail: 0, skip: 1 })
  t.match(listOf(report, 'results'), [
    { result: 'skip', rule: 'HostDevicePath', message: /lifted by GpuExemption .*agent/, scored: false }
  ])
})
