import t from 'tap'
import { ReportKeeper } from '../../../src/controllers/sweep/report-keeper.ts'
import type { WorkloadObject } from '../../../src/controllers/workloads/workload-object.ts'
import type { NamespaceSweep } from '../../../src/core/audit/finding.ts'
import { AppError } from '../../../src/core/errors.ts'
import type { ReportGroup } from '../../../src/ports/policy-report-store.ts'
import { MemoryLog } from '../../fakes/memory-log.ts'
import { MemoryReports } from '../../fakes/memory-reports.ts'
import { MemoryStore } from '../../fakes/memory-store.ts'

const never = new AbortController().signal

function aSweep(namespace: string): NamespaceSweep {
  const none = { podsLeftOut: 0, violatingPods: 0, unreviewedPods: 0, counts: [], findings: [] }
  return { namespace, isWhole: true, podCount: 1, ...none }
}

function setUp(...groups: readonly ReportGroup[]) {
  const reports = new MemoryReports(groups)
  const workloads = new MemoryStore<WorkloadObject>()
  const log = new MemoryLog()
  const keeper = new ReportKeeper({ reports, workloads, log })
  const keep = (...namespaces: readonly string[]): Promise<void> =>
    keeper.keep({ looked: namespaces, sweeps: namespaces.map(aSweep) }, never)
  return { reports, workloads, log, keeper, keep }
}

t.test('it writes in the first API that is served, once, and again what has changed', async (t) => {
  const { reports, workloads, keep } = setUp('openreports.io', 'wgpolicyk8s.io')

  await keep('team-a', 'team-b')
  await keep('team-a', 'team-b')
  t.strictSame(reports.calls, ['apply openreports.io team-a', 'apply openreports.io team-b'])

  workloads.set('team-b', 'deployment-app', {
    namespace: 'team-b',
    name: 'deployment-app',
    generation: 1,
    workload: { kind: 'Deployment', name: 'app' },
    apiVersion: 'apps/v1',
    status: {
      policy: 'standard',
      conditions: [
        {
          type: 'Candidate',
          status: 'True',
          reason: 'FitsMigProfile',
          message: 'it fits',
          lastTransitionTime: '2026-11-01T00:00:00Z'
        }
      ]
    }
  })
  await keep('team-a', 'team-b')

  t.strictSame(reports.calls.slice(2), ['apply openreports.io team-b'])
  t.match(reports.read('openreports.io', 'team-b'), {
    summary: { pass: 1, warn: 1 },
    results: [
      { result: 'warn', rule: 'FitsMigProfile' },
      { result: 'pass', rule: 'NoViolations' }
    ]
  })
})

t.test('a namespace that leaves takes its report along; one that could not be read keeps it', async (t) => {
  const { reports, keeper, keep } = setUp('wgpolicyk8s.io')
  await keep('team-a', 'team-b', 'team-c')

  await keeper.keep({ looked: ['team-a', 'team-b'], sweeps: [aSweep('team-a')] }, never)

  t.strictSame(reports.calls.slice(3), ['remove wgpolicyk8s.io team-c'])
})

t.test('a report that somebody removed comes back', async (t) => {
  const { reports, keep } = setUp('wgpolicyk8s.io')
  await keep('team-a')
  await reports.remove({ group: 'wgpolicyk8s.io', namespace: 'team-a' })

  await keep('team-a')

  t.ok(reports.read('wgpolicyk8s.io', 'team-a'))
})

t.test('when the better API comes, the reports move', async (t) => {
  const { reports, keep } = setUp('wgpolicyk8s.io')
  await keep('team-a')
  reports.groups = ['openreports.io', 'wgpolicyk8s.io']

  await keep('team-a')

  t.strictSame(reports.calls.slice(1), ['remove wgpolicyk8s.io team-a', 'apply openreports.io team-a'])
})

t.test('no API is told once, and is no fault', async (t) => {
  const { reports, log, keep } = setUp()

  await keep('team-a')
  await keep('team-a')

  t.strictSame(reports.calls, [])
  t.match(log.lines, [{ level: 'info', message: 'the cluster serves no policy reports' }])
  t.equal(log.lines.length, 1)
})

t.test('what fails is logged and tried again', async (t) => {
  const { reports, log, keep } = setUp('openreports.io')
  reports.before = () => {
    throw new AppError('KUBE_REFUSED', 'made to fail')
  }
  await keep('team-a')
  t.match(log.lines, [
    { level: 'warn', message: 'policy report not written', fields: { namespace: 'team-a' } }
  ])

  reports.before = undefined
  await keep('team-a')

  t.ok(reports.read('openreports.io', 'team-a'))
})

t.test('a fault in asking what is served ends no sweep, a signal does', async (t) => {
  const { reports, log, keep, keeper } = setUp('openreports.io')
  reports.served = () => Promise.reject(new AppError('KUBE_UNREACHABLE', 'no answer'))

  await keep('team-a')

  t.match(log.lines, [{ level: 'warn', message: 'policy reports not kept' }])
  await t.rejects(keeper.keep({ looked: [], sweeps: [] }, AbortSignal.abort(new Error('stopped'))), /stopped/)
})
