import type { WebhookConfiguration } from '../core/api/names.ts'

/** What a look at one object shows. */
export type Sight =
  | { readonly kind: 'seen'; readonly object: unknown }
  | { readonly kind: 'absent' }
  /** Whoever looks has no right to. */
  | { readonly kind: 'forbidden' }

/** What became of a request that the webhook has to answer. */
export type Probe =
  /** With the texts of its warnings. */
  | { readonly kind: 'passed'; readonly warnings: readonly string[] }
  /** Whoever asks has no right to. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'refused'; readonly message: string }

/** The API server itself. */
export interface ServerVersion {
  /** Such as `v1.36.3`. */
  readonly version: string
  /** Time by its clock, ms since the epoch; undefined when it did not tell. */
  readonly serverMs: number | undefined
}

/**
 * Reads what an installation consists of. Nothing is written.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED.
 */
export interface InstallationReader {
  version(signal: AbortSignal): Promise<ServerVersion>
  configuration(configuration: WebhookConfiguration, signal: AbortSignal): Promise<Sight>
  /** @param name such as `gpupolicies.rightslice.dev` */
  customResource(name: string, signal: AbortSignal): Promise<Sight>
  deployment(name: string, signal: AbortSignal): Promise<Sight>
  secret(name: string, signal: AbortSignal): Promise<Sight>
  /** Makes a namespace with these labels in a dry run, about which the advice webhook has something to say. */
  probe(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Probe>
}
