import type { ClaimAsk } from '../core/cluster/devices/claim-template.ts'

/** Names one ResourceClaimTemplate. */
export interface TemplateName {
  readonly namespace: string
  readonly name: string
}

/**
 * Writes the ResourceClaimTemplates that are ours. Repeats what is safe to repeat.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED once it gives up, or when the signal aborts.
 */
export interface TemplateWriter {
  /** Makes the template of the profile in the namespace say what it should; one that says something else cannot be changed. */
  apply(namespace: string, asks: ClaimAsk, signal: AbortSignal): Promise<void>
  /** Says on the template that no pod may be given it any more. One that is gone is no fault. */
  retire(template: TemplateName, signal: AbortSignal): Promise<void>
  /** Removes the template; one that is gone already is no fault. */
  remove(template: TemplateName, signal: AbortSignal): Promise<void>
}
