import t from 'tap'
import { createControllerMetrics } from '../../src/observability/controller-metrics.ts'

const nowMs = 1_700_000_000_000

t.test('everything that a controller counts is on its page', async (t) => {
  const metrics = createControllerMetrics(() => nowMs)

  metrics.leads(true)
  metrics.refreshed('complete', 2)
  metrics.written('updated', 3)
  metrics.workloads(5)
  metrics.sourceFaults({ timeout: 2 })
  metrics.discarded({ 'shared-device': 4 })
  metrics.newestSample(nowMs - 30_000)
  metrics.candidates(new Map([['dc1', 6]]))
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
  const metrics = createControllerMetrics(() => nowMs)
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
    const metrics = createControllerMetrics(() => nowMs)
    metrics.violations({ counts: [{ rule: 'HostDevicePath', level: 'warn', pods: 7 }], unreviewedPods: 2 })

    metrics.violations(undefined)
    metrics.swept('partial', 1)

    const page = await metrics.text()
    t.notMatch(page, /^rightslice_isolation_violations\{/m)
    t.notMatch(page, /^rightslice_unreviewed_pods /m)
    t.notMatch(page, /^rightslice_sweep_complete_timestamp_seconds /m)
  }
)
