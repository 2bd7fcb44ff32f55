/** Series in promtool's notation, by name and labels; one value a minute. */
type Series = Readonly<Record<string, string>>

/** An alert that comes, and the situation most like it in which it does not. */
export interface AlertCase {
  readonly alert: string
  readonly fires: {
    readonly series: Series
    readonly at: string
    /** Besides the severity. */
    readonly labels: Readonly<Record<string, string>>
    readonly description: string
  }
  readonly quiet: { readonly series: Series; readonly at: string }
}

const leads = { rightslice_leader: '1x200' }
const webhook = 'webhook="isolation.rightslice.dev"'
const failOpen = 'apiserver_admission_webhook_fail_open_count{name="rewrite.rightslice.dev",type="admit"}'
const rejections = 'apiserver_admission_webhook_rejection_count'

/** Reviews of which all take between the two bounds, one a second. */
function reviews(above: string, below: string): Series {
  const bucket = (le: string) =>
    `rightslice_review_duration_seconds_bucket{${webhook},outcome="deny",le="${le}"}`
  return { [bucket(above)]: '0x60', [bucket(below)]: '0+60x60', [bucket('+Inf')]: '0+60x60' }
}

function delays(above: string, below: string): Series {
  const bucket = (le: string) =>
    `rightslice_event_loop_delay_seconds_bucket{pod="a",instance="b:8080",le="${le}"}`
  return { [bucket(above)]: '0x60', [bucket(below)]: '0+60x60', [bucket('+Inf')]: '0+60x60' }
}

/** Each alert once. */
export const alertCases: readonly AlertCase[] = [
  {
    alert: 'RightsliceWebhookDown',
    fires: {
      series: {
        'rightslice_build_info{component="webhook"}': '1x5 stale',
        'rightslice_build_info{component="controller"}': '1x60'
      },
      at: '12m',
      labels: { component: 'webhook' },
      description:
        'No target of the webhook has been scraped for 5 minutes. Pods keep whole GPUs; in namespaces on enforce they may be refused.'
    },
    quiet: { series: { 'rightslice_build_info{component="webhook",instance="a"}': '1x60' }, at: '12m' }
  },
  {
    alert: 'RightsliceWebhookSlow',
    fires: {
      series: reviews('0.5', '1'),
      at: '20m',
      labels: { webhook: 'isolation.rightslice.dev' },
      description:
        '1 of 100 reviews of isolation.rightslice.dev takes 995ms or longer, and each pod waits for its review.'
    },
    quiet: { series: reviews('0.25', '0.5'), at: '20m' }
  },
  {
    alert: 'RightsliceReviewsFailing',
    fires: {
      series: { [`rightslice_reviews_failed_total{${webhook},cause="decision"}`]: '0x15 1x15' },
      at: '20m',
      labels: { webhook: 'isolation.rightslice.dev', cause: 'decision' },
      description: 'isolation.rightslice.dev failed on 1 reviews within 15 minutes (decision).'
    },
    quiet: {
      series: { [`rightslice_reviews_failed_total{${webhook},cause="unreadable"}`]: '0+9x30' },
      at: '20m'
    }
  },
  {
    alert: 'RightsliceReviewsShed',
    fires: {
      series: { [`rightslice_reviews_shed_total{${webhook}}`]: '0x10 9+9x20' },
      at: '30m',
      labels: { webhook: 'isolation.rightslice.dev' },
      description:
        'More pods are created than isolation.rightslice.dev can answer for; 90 reviews were turned away within 10 minutes.'
    },
    quiet: { series: { [`rightslice_reviews_shed_total{${webhook}}`]: '7x30' }, at: '30m' }
  },
  {
    alert: 'RightsliceWebhookUnreachable',
    fires: {
      series: { [failOpen]: '0+1x30' },
      at: '20m',
      labels: { name: 'rewrite.rightslice.dev' },
      description:
        'Calls of rewrite.rightslice.dev failed 10 times within 10 minutes, as the API server tells. Pods come in unreviewed, or are refused.'
    },
    quiet: {
      series: {
        [`${rejections}{name="isolation.rightslice.dev",error_type="no_error"}`]: '0+9x30',
        [`${rejections}{name="somebody.example.com",error_type="calling_webhook_error"}`]: '0+9x30',
        [failOpen]: '4x30'
      },
      at: '20m'
    }
  },
  {
    alert: 'RightsliceEventLoopBlocked',
    fires: {
      series: delays('0.25', '0.5'),
      at: '20m',
      labels: { pod: 'a', instance: 'b:8080' },
      description: 'In 1 of 100 seconds a (b:8080) does not turn to what is waiting for 497.5ms or longer.'
    },
    quiet: { series: delays('0.1', '0.25'), at: '20m' }
  },
  {
    alert: 'RightsliceCertificateExpiring',
    fires: {
      series: {
        'rightslice_certificate_expiry_seconds{certificate="server",pod="a"}': '82800x30',
        'rightslice_certificate_expiry_seconds{certificate="server",pod="b"}': '600000x30'
      },
      at: '15m',
      labels: { certificate: 'server' },
      description:
        'The certificate (server) ends in 23h 0m 0s and was not renewed. After that no API server calls the webhook.'
    },
    quiet: {
      series: {
        'rightslice_certificate_expiry_seconds{certificate="server"}': '170000x30',
        'rightslice_certificate_expiry_seconds{certificate="authority"}': '3000000x30'
      },
      at: '15m'
    }
  },
  {
    alert: 'RightsliceCaBundleOutOfSync',
    fires: {
      series: { 'rightslice_ca_bundle_in_sync{configuration="zz-rightslice"}': '0x30' },
      at: '15m',
      labels: { configuration: 'zz-rightslice' },
      description: 'The caBundle of zz-rightslice has not been what it has to be for 10 minutes.'
    },
    quiet: {
      series: { 'rightslice_ca_bundle_in_sync{configuration="zz-rightslice"}': '0x5 1x25' },
      at: '15m'
    }
  },
  {
    alert: 'RightsliceRewritingStopped',
    fires: {
      series: { rightslice_stores_stale: '0x5 2x20' },
      at: '10m',
      labels: {},
      description:
        'Nothing was heard of 2 kinds of objects for longer than staleSeconds, so every pod keeps its whole GPU.'
    },
    quiet: { series: { rightslice_stores_stale: '0x60' }, at: '10m' }
  },
  {
    alert: 'RightsliceStoreStale',
    fires: {
      series: { 'rightslice_store_age_seconds{resource="nodes"}': '0+60x60' },
      at: '25m',
      labels: { resource: 'nodes' },
      description: 'The API server was last heard of about nodes 25m 0s ago.'
    },
    quiet: { series: { 'rightslice_store_age_seconds{resource="events"}': '600x60' }, at: '25m' }
  },
  {
    alert: 'RightsliceStoreDrift',
    fires: {
      series: { 'rightslice_store_drift_total{resource="pods"}': '0x60 2x60' },
      at: '120m',
      labels: { resource: 'pods' },
      description:
        '2 objects of pods differed from what watches had told within 2 hours. They are right again; that they differed is a defect.'
    },
    quiet: { series: { 'rightslice_store_drift_total{resource="pods"}': '2x180' }, at: '120m' }
  },
  {
    alert: 'RightslicePolicyInvalid',
    fires: {
      series: {
        'rightslice_policies_invalid{pod="a"}': '1x30',
        'rightslice_policies_invalid{pod="b"}': '1x30'
      },
      at: '12m',
      labels: {},
      description: '1 GpuPolicy objects hold a value that is not allowed, and govern nothing.'
    },
    quiet: { series: { rightslice_policies_invalid: '1x5 0x25' }, at: '12m' }
  },
  {
    alert: 'RightsliceControllerDown',
    fires: {
      series: { 'rightslice_leader{pod="a"}': '0x30' },
      at: '12m',
      labels: {},
      description:
        'For 10 minutes no controller has held the lease, so measured peaks grow old, and nobody looks for pods that break isolation.'
    },
    quiet: {
      series: { 'rightslice_leader{pod="a"}': '0x30', 'rightslice_leader{pod="b"}': '1x30' },
      at: '12m'
    }
  },
  {
    alert: 'RightsliceHistoryMissing',
    fires: {
      series: { ...leads, rightslice_history_age_seconds: '3000+60x60' },
      at: '30m',
      labels: {},
      description:
        'The newest sample of GPU memory is older than an hour, or there is none. Pods without other history keep whole GPUs.'
    },
    quiet: { series: { ...leads, rightslice_history_age_seconds: '3500x60' }, at: '30m' }
  },
  {
    alert: 'RightsliceSweepMissing',
    fires: {
      series: { ...leads, rightslice_sweep_complete_timestamp_seconds: '60x200' },
      at: '100m',
      labels: {},
      description:
        'No sweep over the pods that run was complete for an hour, so nobody knows whether some of them break isolation.'
    },
    quiet: { series: { ...leads, rightslice_sweep_complete_timestamp_seconds: '0+60x200' }, at: '100m' }
  },
  {
    alert: 'RightsliceFailingOpen',
    fires: {
      series: { rightslice_unreviewed_pods: '2x10' },
      at: '1m',
      labels: {},
      description: '2 pods with GPUs run that came while no webhook answered.'
    },
    quiet: { series: { rightslice_unreviewed_pods: '0x10' }, at: '1m' }
  },
  {
    alert: 'RightsliceIsolationViolated',
    fires: {
      series: { 'rightslice_isolation_violations{rule="HostDevicePath",level="enforce"}': '3x10' },
      at: '6m',
      labels: { rule: 'HostDevicePath' },
      description: '3 pods that run break HostDevicePath; new ones like them are refused.'
    },
    quiet: {
      series: { 'rightslice_isolation_violations{rule="HostDevicePath",level="warn"}': '3x10' },
      at: '6m'
    }
  },
  {
    alert: 'RightsliceRewrittenPodPending',
    fires: {
      series: {
        'rightslice_rewritten_pod_pending_seconds{pod="a"}': '0+60x30',
        'rightslice_rewritten_pod_pending_seconds{pod="b"}': '0+60x30'
      },
      at: '12m',
      labels: {},
      description: 'A pod that was given a share has been waiting for a node for 12m 0s.'
    },
    quiet: { series: { rightslice_rewritten_pod_pending_seconds: '540x30' }, at: '12m' }
  }
]

/** Where a value is absent that somebody who leads should tell: alerts beside the one of the table. */
export const absentCases: readonly {
  readonly alert: string
  readonly series: Series
  readonly at: string
}[] = [
  { alert: 'RightsliceHistoryMissing', series: leads, at: '20m' },
  { alert: 'RightsliceSweepMissing', series: leads, at: '40m' },
  { alert: 'RightsliceControllerDown', series: { up: '1x60' }, at: '12m' },
  {
    alert: 'RightsliceWebhookUnreachable',
    series: {
      [`${rejections}{name="isolation.rightslice.dev",error_type="calling_webhook_error"}`]: '0+1x30'
    },
    at: '20m'
  },
  {
    alert: 'RightsliceCertificateExpiring',
    series: { 'rightslice_certificate_expiry_seconds{certificate="authority"}': '2500000x30' },
    at: '15m'
  }
]
