/**
 * Why a daily maximum is no evidence for anybody: a fixed set, fit for a metric's label, each with the sentence that a status
 * shows. Blanks and impossible values never come this far, the source counts them.
 */
export const attributionReasons = {
  'no-pod':
    'the series names no pod and stays unattributed: the device is idle, or the exporter could not tell whose it is',
  'device-unknown': 'the series names no GPU, so nobody can tell who else was on it',
  'after-end': 'the pod had ended, and the exporter went on repeating its series',
  'name-reused': 'a former pod of the same name was measured, and nothing shows that it was of this workload',
  'owner-unknown': 'the pod is gone, and its name fits no workload that is known in its namespace',
  'owner-ambiguous': 'the pod is gone, and its name fits several workloads of its namespace',
  'container-unknown': 'nothing tells which container of the pod was measured',
  zero: 'the value is zero, which an exporter also writes when it cannot see the processes of a pod',
  'memory-unknown': 'the value is a ratio of a memory whose size is not known',
  'above-device': 'the value is more than the device has',
  'shared-device': 'several containers were on the device at once, and the value is that of all of them',
  'replicated-device': 'the device is handed out several times, and the exporter names one of its pods only',
  'shared-compute': 'the busy share of the device is that of all its containers',
  'compute-share-unknown': 'nobody published how much of the compute of the GPU the slice has',
  'no-memory-series': 'the source has no memory series for it'
} as const satisfies Readonly<Record<string, string>>

/** One code of `attributionReasons`. */
export type AttributionReason = keyof typeof attributionReasons

/** All codes, in the order of the table. */
export const attributionReasonCodes = Object.keys(attributionReasons).filter(isReason)

/** How many daily maxima were discarded for each reason; for `no-memory-series` the containers. */
export type AttributionCounts = Readonly<Partial<Record<AttributionReason, number>>>

function isReason(text: string): text is AttributionReason {
  return Object.hasOwn(attributionReasons, text)
}
