import type { Test } from 'tap'
import type { PolicyReportStore, ReportGroup } from '../../src/ports/policy-report-store.ts'

/** A store under test, over a cluster that serves some groups, and a way to see what it wrote. */
export interface ReportsUnderTest {
  readonly store: PolicyReportStore
  readonly read: (group: ReportGroup, namespace: string) => unknown
}

/** What a cluster may serve: both APIs, one, none. */
const everyChoice: readonly (readonly ReportGroup[])[] = [
  ['openreports.io', 'wgpolicyk8s.io'],
  ['openreports.io'],
  ['wgpolicyk8s.io'],
  []
]

/** A report as the sweep writes it. */
export const aReport = {
  scope: { apiVersion: 'v1', kind: 'Namespace', name: 'team-a' },
  summary: { pass: 0, fail: 1, warn: 0, error: 0, skip: 0 },
  results: [
    {
      source: 'rightslice',
      policy: 'standard',
      rule: 'HostDevicePath',
      category: 'GPU isolation',
      result: 'fail',
      severity: 'high',
      scored: true,
      message: 'the pod has a volume; drop it',
      resources: [{ apiVersion: 'v1', kind: 'Pod', namespace: 'team-a', name: 'bad', uid: 'u-1' }],
      properties: { level: 'enforce', pods: '1' }
    }
  ]
} as const

/**
 * What every PolicyReportStore promises; `make` gives one over a cluster without reports that serves these groups.
 * @param choices what the cluster may be made to serve; a real one serves what it does
 */
export function policyReportStoreContract(
  t: Test,
  make: (t: Test, groups: readonly ReportGroup[]) => Promise<ReportsUnderTest>,
  choices = everyChoice
): void {
  const never = new AbortController().signal

  for (const groups of choices) {
    t.test(`it finds what is served: ${groups.join(', ') || 'nothing'}`, async (t) => {
      t.strictSame(await (await make(t, groups)).store.served(never), groups)
    })
  }

  for (const group of ['openreports.io', 'wgpolicyk8s.io'] as const) {
    t.test(`${group}: a report is made, changed, found and removed`, async (t) => {
      const { store, read } = await make(t, [group])
      const place = { group, namespace: 'team-a' }

      await store.apply(place, { ...aReport, results: [], summary: { ...aReport.summary, fail: 0 } }, never)
      await store.apply(place, aReport, never)
      t.match(await read(group, 'team-a'), aReport)
      t.strictSame(await store.namespaces(group, never), ['team-a'])

      await store.remove(place, never)
      await store.remove(place, never)
      t.equal(await read(group, 'team-a'), undefined)
      t.strictSame(await store.namespaces(group, never), [])
    })
  }
}
