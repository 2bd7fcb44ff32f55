interface EventEntry {
  readonly type: 'Normal' | 'Warning'
  /** One sentence for docs: what happened. */
  readonly summary: string
}

/** Reason of every Event that is written, a promise to users; each has its line in `docs/events.md`. */
export const eventReasons = {
  GpuRequestRewritten: { type: 'Normal', summary: 'The first pod of a template was given a share.' },
  GpuRequestKept: {
    type: 'Normal',
    summary: 'A pod keeps what it asks for, for another reason than the one before it.'
  },
  GpuPodRejected: { type: 'Warning', summary: 'Pods of a template are refused by an isolation rule.' },
  FellBackToWholeGpu: {
    type: 'Warning',
    summary: 'A pod waited for its share for too long, so its workload gets whole GPUs for a while.'
  },
  CanaryPassed: {
    type: 'Normal',
    summary: 'The first pods with a share stayed healthy, and the others follow.'
  },
  CanaryFailed: {
    type: 'Warning',
    summary: 'The first pods with a share did not stay healthy, so it is not given for a while.'
  },
  SliceMemoryNearLimit: {
    type: 'Warning',
    summary: 'A container came near the memory of the share that it was given.'
  },
  IsolationViolated: {
    type: 'Warning',
    summary: 'Pods that run break an isolation rule that would refuse them now.'
  },
  ExemptionExpiring: { type: 'Warning', summary: 'An exemption that acts ends within three days.' }
} as const satisfies Record<string, EventEntry>

/** One reason of the table `eventReasons`. */
export type EventReason = keyof typeof eventReasons
