import { z } from 'zod'
import { Config, type ConfigKey } from '../config/schema.ts'

/** Image that is installed where none is named; nodes pull it from where their runtime looks first. */
const DEFAULT_IMAGE = 'rightslice:0.1.0'

/**
 * Settings that an installation may choose, by their keys. The others are bound to what manifests say: ports, files that are mounted,
 * names that rights are given for, times that a pod is given.
 */
export const openSettings = [
  'systemNamespaces',
  'schedulers',
  'logLevel',
  'driftCheckSeconds',
  'staleSeconds',
  'usageSource',
  'prometheusUrl',
  'prometheusTenant',
  'prometheusParameters',
  'prometheusTimeoutSeconds',
  'metricNames',
  'ownerLabels',
  'usageSeries',
  'refreshSeconds',
  'forgetAfterHours',
  'sweepSeconds',
  'policyReports',
  'otlpEndpoint'
] as const satisfies readonly ConfigKey[]

const SettingValue = z.union([z.string(), z.number(), z.boolean()])

const Settings = z
  .partialRecord(z.enum(openSettings), SettingValue)
  .default({})
  .superRefine((settings, context) => {
    const faults = Config.safeParse(settings).error?.issues ?? []
    for (const { path, message } of faults) context.addIssue({ code: 'custom', path, message })
  })

/** How certificates of the webhook are kept. */
export const certificateModes = ['managed', 'cert-manager'] as const

/** What an installation may choose. With the defaults it is `manifests/base`. */
export const InstallValues = z.strictObject({
  image: z
    .string()
    .regex(/^[\w.\-/]+(:\d+\/[\w.\-/]+)?(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/, 'must be the name of an image')
    .default(DEFAULT_IMAGE),
  webhookReplicas: z.int().min(3).max(9).default(3),
  controllerReplicas: z.int().min(1).max(3).default(2),
  certificates: z.enum(certificateModes).default('managed'),
  networkPolicy: z.boolean().default(true),
  podMonitor: z.boolean().default(false),
  settings: Settings
})

/** What an installation has chosen, checked and complete. */
export type InstallValues = Readonly<z.infer<typeof InstallValues>>

/** Name of a value. */
export type InstallKey = keyof InstallValues

/** What people are told about each value. */
export const valueSentences: Readonly<Record<InstallKey, string>> = {
  image: 'Image of both processes, with tag or digest.',
  webhookReplicas: 'Replicas of the webhook; two of them stay up during a drain.',
  controllerReplicas: 'Replicas of the controller; one leads, the others stand by.',
  certificates:
    'Who keeps the certificates of the webhook: it itself, or cert-manager, which has to be there.',
  networkPolicy: 'Whether NetworkPolicies say what the processes may reach and be reached by.',
  podMonitor: 'Whether the Prometheus operator, which has to be there, is told where the metrics are.',
  settings: 'Settings of both processes by their keys, such as prometheusUrl.'
}
