/** What a policy means where it says nothing; `headroom` 20 % turns a peak of 1000 MiB into a need of 1200 MiB. */
export const policyDefaults = {
  kind: 'Sharing',
  mode: 'Propose',
  suspend: false,
  priority: 0,
  headroom: '20%',
  rename: true,
  fit: 'Enforce',
  lookback: '14d',
  minCoverage: '3d',
  onMissingCapacity: 'KeepWholeGpu',
  onQuotaEscape: 'KeepWholeGpu',
  queued: 'KeepWholeGpu',
  allowPin: true,
  maxExemption: '720h',
  rescueAfter: '5m',
  canaryPods: 1,
  healthyFor: '2h',
  windowKind: 'Allow',
  currency: 'USD'
} as const
