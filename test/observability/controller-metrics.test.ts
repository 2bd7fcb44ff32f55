import t from 'tap'
import { createControllerMetrics } from '../../src/observability/controller-metrics.ts'
import type { Census } from '../../src/ports/controller-metrics.ts'

const nowMs = 1_700_000_000_000
const facts = { version: '1.2.3', nowMs: () => nowMs }

t.test('everything that a controller counts is on its page', async (t) => {
  const metrics = createControllerMetrics(facts)

  metrics.leads(true)
  metrics.refreshed('complete', 2)
  metrics.written('updated', 3)
  metrics.workloads(5)
  metrics.sourceFaults({ timeout: 2 })
  metrics.discarded({ 'shared-device': 4 })
  metrics.newestSample(nowMs - 30_000)
  metrics.candidates(new Map([['dc1', 6]]))
  metrics.freeable(new Map([['dc1', 3]]))
  metrics.event('told')
  metrics.swept('complete', 3)
  metrics.violations({ counts: [{ rule: 'HostDevicePath', level: 'enforce', pods: 7 }], unreviewedPods: 2 })
  metrics.policiesInvalid(1)

  const page = await metrics.text()
  for (const line of [
    'rightslice_leader 1',
    'rightslice_refresh_duration_seconds_count{outcome="complete"} 1',
    'rightslice_refresh_writes_total{action="updated"} 3',
    'rightslice_refresh_workloads 5',
    'rightslice_refresh_source_faults{kind="timeout"} 2',
    'rightslice_refresh_samples_discarded{reason="shared-device"} 4',
    'rightslice_history_age_seconds 30',
    'rightslice_candidates{policy="dc1"} 6',
    'rightslice_gpus_freeable{policy="dc1"} 3',
    'rightslice_events_total{outcome="told"} 1',
    'rightslice_sweep_duration_seconds_count{outcome="complete"} 1',
    `rightslice_sweep_complete_timestamp_seconds ${nowMs / 1000}`,
    'rightslice_isolation_violations{rule="HostDevicePath",level="enforce"} 7',
    'rightslice_unreviewed_pods 2',
    'rightslice_policies_invalid 1'
  ]) {
    t.ok(page.split('\n').includes(line), line)
  }
})

t.test('what is over is gone from the page', async (t) => {
  const metrics = createControllerMetrics(facts)
  metrics.sourceFaults({ timeout: 2 })
  metrics.candidates(new Map([['old', 6]]))
  metrics.newestSample(nowMs)

  metrics.sourceFaults({})
  metrics.candidates(new Map([['new', 1]]))
  metrics.newestSample(undefined)

  const page = await metrics.text()
  t.notMatch(page, 'kind="timeout"')
  t.notMatch(page, 'policy="old"')
  t.notMatch(page, /^rightslice_history_age_seconds /m)
})

t.test(
  'who does not look says nothing about violations, and a partial sweep is no complete one',
  async (t) => {
    const metrics = createControllerMetrics(facts)
    metrics.violations({ counts: [{ rule: 'HostDevicePath', level: 'warn', pods: 7 }], unreviewedPods: 2 })

    metrics.violations(undefined)
    metrics.swept('partial', 1)

    const page = await metrics.text()
    t.notMatch(page, /^rightslice_isolation_violations\{/m)
    t.notMatch(page, /^rightslice_unreviewed_pods /m)
    t.notMatch(page, /^rightslice_sweep_complete_timestamp_seconds /m)
  }
)

t.test('who does not lead any more tells nothing that only a leader knows', async (t) => {
  const metrics = createControllerMetrics(facts)
  metrics.leads(true)
  metrics.workloads(5)
  metrics.sourceFaults({ timeout: 2 })
  metrics.discarded({ 'shared-device': 4 })
  metrics.newestSample(nowMs)
  metrics.candidates(new Map([['dc1', 6]]))
  metrics.freeable(new Map([['dc1', 3]]))

  metrics.leads(false)

  const lines = (await metrics.text()).split('\n')
  t.ok(lines.includes('rightslice_leader 0'))
  t.strictSame(
    lines.filter((line) => /^rightslice_(refresh_|candidates|gpus_freeable|history_age)/.test(line)),
    []
  )
})

t.test('a census is taken at each scrape, and what is over is gone', async (t) => {
  const metrics = createControllerMetrics(facts)
  const before = await metrics.text()
  const first: Census = {
    namespaces: { enforce: 2, warn: 1, off: 3, system: 4 },
    rewritten: [{ share: 'mig-1g.10gb', phase: 'Pending', pods: 2 }],
    longestPendingSeconds: 7,
    openWindows: new Map([['dc1', true]])
  }
  const censuses = [first, { ...first, rewritten: [], openWindows: new Map() }]
  metrics.watchCensus(() => censuses.shift() ?? first)

  const page = (await metrics.text()).split('\n')
  const next = await metrics.text()

  t.notMatch(before, /^rightslice_(namespaces|rewritten_pods?|policy_window_open)\b/m)
  for (const line of [
    'rightslice_namespaces{rightsize="system"} 4',
    'rightslice_rewritten_pods{share="mig-1g.10gb",phase="Pending"} 2',
    'rightslice_rewritten_pod_pending_seconds 7',
    'rightslice_policy_window_open{policy="dc1"} 1'
  ]) {
    t.ok(page.includes(line), line)
  }
  t.notMatch(next, /^rightslice_(rewritten_pods|policy_window_open)\{/m)
})
