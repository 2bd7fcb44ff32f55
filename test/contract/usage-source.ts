import type { Test } from 'tap'
import type { DeviceSeries } from '../../src/core/usage/dialect-series.ts'
import type { UsageSource } from '../../src/ports/usage-source.ts'

/** One series that a source is given: labels as the exporter writes them, times and values. */
export interface GivenSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly (readonly [timeMs: number, value: number])[]
}

/** A source that has seen `series` up to `nowMs`; how it came to see them is its own affair. */
export type MakeSource = (t: Test, series: readonly GivenSeries[], nowMs: number) => Promise<UsageSource>

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Noon, and the days that end there. */
export const NOON_MS = Date.UTC(2026, 10, 20, 12)
const TODAY_MS = Date.UTC(2026, 10, 20)

const gpu = {
  gpu: '0',
  UUID: 'GPU-0a1b2c3d-0000-4000-8000-00000000abcd',
  modelName: 'NVIDIA H100 80GB HBM3',
  Hostname: 'gpu-node-7'
}
const owner = { container: 'server', namespace: 'team-a', pod: 'embedder-7c9d8f6b5d-x2k4p' }

function days(
  series: readonly DeviceSeries[],
  pod: string,
  metric = 'memory'
): readonly (readonly [number, number])[] {
  return series
    .filter((one) => one.labels.pod === pod && one.metric === metric)
    .flatMap((one) => one.days.map(({ dayMs, max }) => [(dayMs - TODAY_MS) / DAY_MS, max] as const))
}

/** What every UsageSource promises; `make` gives each test a source of its own. */
export function usageSourceContract(t: Test, make: MakeSource): void {
  const read = async (t: Test, series: readonly GivenSeries[], lookbackDays = 3) => {
    const source = await make(t, series, NOON_MS)
    t.teardown(() => source.close())
    return source.read({ nowMs: NOON_MS, lookbackDays })
  }

  t.test('gives the highest value of each day, a sample at midnight to the day that begins', async (t) => {
    const samples = [
      [TODAY_MS - DAY_MS, 40],
      [TODAY_MS - HOUR_MS, 9000],
      [TODAY_MS - 2 * HOUR_MS, 12],
      [TODAY_MS, 700],
      [TODAY_MS + HOUR_MS, 650],
      [NOON_MS - 60_000, 640]
    ] as const
    const reading = await read(t, [{ name: 'DCGM_FI_DEV_FB_USED', labels: { ...gpu, ...owner }, samples }])

    t.strictSame(days(reading.series, owner.pod), [
      [-1, 9000],
      [0, 700]
    ])
    t.match(reading.series[0], {
      metricName: 'DCGM_FI_DEV_FB_USED',
      labels: {
        namespace: 'team-a',
        container: 'server',
        node: 'gpu-node-7',
        gpuUuid: gpu.UUID,
        gpuIndex: '0',
        model: 'NVIDIA-H100-80GB-HBM3',
        perProcess: false
      },
      days: [{ samples: 3 }, { samples: 3 }]
    })
    t.equal(reading.status, 'complete')
    t.strictSame(
      reading.days.map(({ state }) => state),
      ['empty', 'complete', 'complete']
    )
    t.strictSame(reading.faults, [])
  })

  t.test('discards and counts what is no value, and gives the highest that is one', async (t) => {
    const odd = [2 ** 63, 2_147_483_632, 2 ** 47, Number.NaN, Infinity, 700_000]
    const samples = [4100, ...odd, 4180].map(
      (value, index) => [TODAY_MS + (index + 1) * 60_000, value] as const
    )
    const blanks = { ...gpu, gpu: '1', UUID: 'GPU-1', ...owner, pod: 'blank-0' }
    const reading = await read(t, [
      {
        name: 'DCGM_FI_DEV_FB_USED',
        labels: { ...gpu, ...owner },
        samples: [...samples, [NOON_MS - 60_000, 5]]
      },
      { name: 'DCGM_FI_DEV_FB_USED', labels: blanks, samples: [[TODAY_MS + 60_000, 2_147_483_632]] }
    ])

    t.strictSame(days(reading.series, owner.pod), [[0, 4180]])
    t.strictSame(days(reading.series, 'blank-0'), [])
    t.strictSame(reading.discarded, { blank: 4, 'not-a-number': 1, infinite: 1, impossible: 1 })
    t.equal(reading.status, 'complete')
  })

  t.test('keeps instances, replicas and the device apart, and ratios as ratios', async (t) => {
    const at = (value: number) => [[NOON_MS - 60_000, value]] as const
    const mig = { ...gpu, GPU_I_ID: '9', GPU_I_PROFILE: '1g.10gb', ...owner }
    const replica = (pod: string, vgpu: string) => ({ ...gpu, ...owner, pod, vgpu, pod_uid: `uid-${vgpu}` })
    const reading = await read(t, [
      { name: 'DCGM_FI_DEV_FB_USED', labels: mig, samples: at(5310) },
      { name: 'DCGM_FI_DEV_FB_USED', labels: gpu, samples: at(11_870) },
      { name: 'DCGM_FI_DEV_FB_USED', labels: replica('ocr-0', '0'), samples: at(4120) },
      { name: 'DCGM_FI_DEV_FB_USED', labels: replica('asr-0', '3'), samples: at(7702) },
      { name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', labels: mig, samples: at(0.4) },
      { name: 'DCGM_FI_PROF_SM_ACTIVE', labels: mig, samples: at(1.004) }
    ])

    t.strictSame(
      reading.series.map(({ metric, labels, days: [day] }) => [
        metric,
        labels.pod,
        labels.gpuInstanceId ?? '',
        labels.podUid ?? '',
        labels.perProcess,
        day?.max
      ]),
      [
        ['gr-engine-active', owner.pod, '9', '', false, 0.4],
        ['memory', '', '', '', false, 11_870],
        ['memory', 'asr-0', '', 'uid-3', true, 7702],
        ['memory', owner.pod, '9', '', false, 5310],
        ['memory', 'ocr-0', '', 'uid-0', true, 4120],
        ['sm-active', owner.pod, '9', '', false, 1]
      ]
    )
  })

  t.test('tells pods that follow each other on a device from pods that share it', async (t) => {
    const from = (start: number, end: number) =>
      Array.from(
        { length: end - start },
        (_, index) => [TODAY_MS + (start + index) * 60_000, 100 + index] as const
      )
    const labels = (pod: string) => ({ ...gpu, ...owner, pod })
    const reading = await read(t, [
      { name: 'DCGM_FI_DEV_FB_USED', labels: labels('first-0'), samples: from(10, 40) },
      { name: 'DCGM_FI_DEV_FB_USED', labels: labels('second-0'), samples: from(60, 700) },
      {
        name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
        labels: labels('first-0'),
        samples: [[TODAY_MS + 600_000, 0.5]]
      }
    ])

    const spans = reading.series.flatMap(({ metric, labels: { pod }, days: [day] }) =>
      metric === 'memory' ? [[pod, day?.firstMs ?? 0, day?.lastMs ?? 0] as const] : []
    )
    t.strictSame(
      spans.map(([pod]) => pod),
      ['first-0', 'second-0']
    )
    const [first, second] = spans
    t.ok(Math.abs((first?.[1] ?? 0) - (TODAY_MS + 600_000)) <= 60_000)
    t.ok(Math.abs((first?.[2] ?? 0) - (TODAY_MS + 39 * 60_000)) <= 60_000)
    t.ok((second?.[1] ?? 0) > (first?.[2] ?? Infinity))
  })

  t.test('gives no owner to series whose names Kubernetes could not have given', async (t) => {
    const at = [[NOON_MS - 60_000, 77]] as const
    const named = (pod: string, namespace = 'team-a') => ({ ...gpu, ...owner, pod, namespace })
    const reading = await read(t, [
      { name: 'DCGM_FI_DEV_FB_USED', labels: named('victim-0\u0001'), samples: at },
      { name: 'DCGM_FI_DEV_FB_USED', labels: named('"} or up{a="'), samples: at },
      {
        name: 'DCGM_FI_DEV_FB_USED',
        labels: { ...named('fine-0'), modelName: 'NVIDIA\u001b[31m A30\u202e' },
        samples: at
      }
    ])

    t.strictSame(
      reading.series.map(({ labels }) => [labels.pod, labels.model]),
      [['fine-0', 'NVIDIA[31m-A30']]
    )
    t.strictSame(reading.discarded, { 'unreadable-labels': 2 })
  })
}
