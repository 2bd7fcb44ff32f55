import type { Registry } from 'prom-client'

/** Every metric of the project with its help text; names and labels are promises to users. */
export const metricTable = {
  rightslice_review_duration_seconds: {
    type: 'histogram',
    labels: ['webhook', 'outcome'],
    help: 'Time from a review that was read to its answer, by outcome (rewrite, keep, allow, warn, deny, failed).'
  },
  rightslice_decisions_total: {
    type: 'counter',
    labels: ['action', 'reason', 'dry_run'],
    help: 'Decisions on pods, by action (rewrite, keep), reason code and whether it was a dry run.'
  },
  rightslice_isolation_breaches_total: {
    type: 'counter',
    labels: ['rule', 'action', 'dry_run'],
    help: 'Reviews that broke an isolation rule, by rule, what became of it (deny, warn) and whether it was a dry run.'
  },
  rightslice_reviews_failed_total: {
    type: 'counter',
    labels: ['webhook', 'cause'],
    help: 'Reviews that could not be read (unreadable), decided (decision) or patched (patch); the failure policy decides, or pods stay as they are.'
  },
  rightslice_reviews_shed_total: {
    type: 'counter',
    labels: ['webhook', 'cause'],
    help: 'Reviews that were sent back with 503 and Retry-After, by cause (busy: too long to wait, bodies: no memory for large ones).'
  },
  rightslice_connections_cut_total: {
    type: 'counter',
    labels: ['cause'],
    help: 'Connections that were cut, by cause (full: too many, slow: the body did not come, pipelined: a request before the last answer).'
  },
  rightslice_policies_invalid: {
    type: 'gauge',
    labels: [],
    help: 'GpuPolicy objects in the cluster that hold a value that is not allowed and are switched off.'
  },
  rightslice_store_synced: {
    type: 'gauge',
    labels: ['resource'],
    help: '1 once the first whole list of the resource is in memory.'
  },
  rightslice_store_age_seconds: {
    type: 'gauge',
    labels: ['resource'],
    help: 'Time since the API server was last heard of about the resource; absent before the first list.'
  },
  rightslice_stores_stale: {
    type: 'gauge',
    labels: [],
    help: 'Resources of which nothing was heard for longer than staleSeconds; above 0 no pod is rewritten.'
  },
  rightslice_store_relists_total: {
    type: 'counter',
    labels: ['resource'],
    help: 'Whole lists of the resource after the first.'
  },
  rightslice_store_watch_restarts_total: {
    type: 'counter',
    labels: ['resource'],
    help: 'Watches of the resource that were opened again.'
  },
  rightslice_store_drift_total: {
    type: 'counter',
    labels: ['resource'],
    help: 'Objects of the resource that a check against a fresh list found to differ from memory; each was put right, and is a defect of ours.'
  },
  rightslice_build_info: {
    type: 'gauge',
    labels: ['component', 'version', 'node'],
    help: '1 for the process that runs: its part (webhook, controller), its version and that of Node.'
  },
  rightslice_event_loop_delay_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Longest time of each second for which the process could not turn to what was waiting.'
  },
  rightslice_certificate_expiry_seconds: {
    type: 'gauge',
    labels: ['certificate'],
    help: 'Time until a certificate ends: the one that is served (server), or its authority where we keep it (authority).'
  },
  rightslice_certificate_faults_total: {
    type: 'counter',
    labels: [],
    help: 'Looks at the certificates that failed: files that cannot be used, an API server that does not answer or refuses.'
  },
  rightslice_ca_bundle_in_sync: {
    type: 'gauge',
    labels: ['configuration'],
    help: '1 while the caBundle of a webhook configuration is what it has to be, else 0; absent where we do not keep it.'
  },
  rightslice_leader: {
    type: 'gauge',
    labels: [],
    help: '1 while this controller leads and writes, else 0.'
  },
  rightslice_refresh_duration_seconds: {
    type: 'histogram',
    labels: ['outcome'],
    help: 'Time of one refresh of what is known of workloads, by outcome (complete, partial, failed, error).'
  },
  rightslice_refresh_writes_total: {
    type: 'counter',
    labels: ['action'],
    help: 'GpuWorkload objects by what refreshes did to them (created, updated, removed, failed, deferred).'
  },
  rightslice_refresh_workloads: {
    type: 'gauge',
    labels: [],
    help: 'Workloads with GPUs that the last refresh knew.'
  },
  rightslice_refresh_source_faults: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Faults of the source of GPU metrics in the last reading, by kind; absent where there was none.'
  },
  rightslice_refresh_samples_discarded: {
    type: 'gauge',
    labels: ['reason'],
    help: 'Daily maxima of the last reading that are provably of no one container, by reason.'
  },
  rightslice_rescues_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Looks at pods that waited for their share for too long, by what became of them (announced, evicted, gone, blocked, not-made-anew, pinned, no-whole-gpu, unknown, failed).'
  },
  rightslice_history_age_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the newest GPU memory sample that the source holds; absent where it holds none.'
  },
  rightslice_candidates: {
    type: 'gauge',
    labels: ['policy'],
    help: 'Workloads that would fit a smaller share than they ask for, by the policy that governs them.'
  },
  rightslice_gpus_freeable: {
    type: 'gauge',
    labels: ['policy'],
    help: 'GPUs that would be free if every candidate took its share, by the policy that governs them.'
  },
  rightslice_policy_window_open: {
    type: 'gauge',
    labels: ['policy'],
    help: '1 while the policy allows nodes to be changed now, else 0; absent where it names no window.'
  },
  rightslice_namespaces: {
    type: 'gauge',
    labels: ['rightsize'],
    help: 'Namespaces by what happens to their pods (enforce, warn, off, system: never changed).'
  },
  rightslice_rewritten_pods: {
    type: 'gauge',
    labels: ['share', 'phase'],
    help: 'Pods that were given a share and have not ended, by share (a MIG profile, shared, other) and phase (Pending, Running).'
  },
  rightslice_rewritten_pod_pending_seconds: {
    type: 'gauge',
    labels: [],
    help: 'How long the oldest pod that was given a share has been waiting for a node; 0 when none waits.'
  },
  rightslice_events_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Events about decisions and violations, by outcome (told, known to the cluster already, limited, failed).'
  },
  rightslice_isolation_violations: {
    type: 'gauge',
    labels: ['rule', 'level'],
    help: 'Pods that run and break an isolation rule, by rule and level (enforce: a new one would be refused; warn); told by the leader.'
  },
  rightslice_unreviewed_pods: {
    type: 'gauge',
    labels: [],
    help: 'Pods that run and provably came while no webhook answered; told by the leader.'
  },
  rightslice_sweep_duration_seconds: {
    type: 'histogram',
    labels: ['outcome'],
    help: 'Time of one sweep over pods that run, by outcome (complete, partial, error).'
  },
  rightslice_sweep_complete_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Time at which the last complete sweep of this process ended, seconds since the epoch; absent before the first.'
  }
} as const

type MetricName = keyof typeof metricTable

/** Name, help and labels of a metric of the table, for the registry. */
export function optionsOf<N extends MetricName>(
  name: N,
  registry: Registry
): {
  readonly name: N
  readonly help: string
  readonly labelNames: (typeof metricTable)[N]['labels']
  readonly registers: Registry[]
} {
  const { help, labels } = metricTable[name]
  return { name, help, labelNames: labels, registers: [registry] }
}
