import { FIELD_MANAGER } from '../../core/api/names.ts'
import type { ClaimTemplate } from '../../core/cluster/devices/claim-template.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import type { TemplateName, TemplateWriter } from '../../ports/template-writer.ts'
import type { ControllerStores } from '../controller-stores.ts'
import { repeatOnChange } from '../rounds.ts'
import { runPool } from '../write-pool.ts'
import { templateSteps, wantedTemplates } from './desire-templates.ts'

/** What keeping templates needs. */
export interface TemplateKeeperParts {
  readonly stores: Pick<ControllerStores, 'nodes' | 'namespaces' | 'policies'> & {
    readonly claimTemplates: ObjectStore<ClaimTemplate>
  }
  readonly writer: TemplateWriter
  readonly systemNamespaces: readonly string[]
  /** How long a template stays that no pod is given any more, ms: longer than a webhook answers without hearing of the cluster. */
  readonly retiredMs: number
  readonly clock: Clock
  readonly log: Log
}

/** Between two rounds without any change, ms. */
const ROUND_MS = 30_000

/** Keeps, per namespace, the ResourceClaimTemplates that pods may be given. What fails is tried again in the next round. */
export class TemplateKeeper {
  readonly #parts: TemplateKeeperParts
  /** Since when each template has been seen as retired, ms of the monotonic clock. */
  #retiredSince: ReadonlyMap<string, number> = new Map()
  #foreign: ReadonlySet<string> = new Set()

  constructor(parts: TemplateKeeperParts) {
    this.#parts = parts
  }

  /** Keeps until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    const { nodes, namespaces, policies, claimTemplates } = stores
    const watched = [nodes, namespaces, policies, claimTemplates]
    await repeatOnChange(() => this.round(signal), { watched, everyMs: ROUND_MS, clock, signal })
  }

  /** One round: writes what is missing, retires what is not wanted, and removes what has been retired for long enough. */
  async round(signal: AbortSignal): Promise<void> {
    const { stores, systemNamespaces, writer } = this.#parts
    const wanted = wantedTemplates({
      nodes: stores.nodes.list(),
      namespaces: stores.namespaces.list(),
      policies: stores.policies.list().map(({ read }) => read),
      systemNamespaces
    })
    const steps = templateSteps(wanted, stores.claimTemplates.list(), FIELD_MANAGER)
    this.#tellForeign(steps.foreign.map(keyOf))
    await this.#each(steps.apply, 'applied', (own) => writer.apply(own.namespace, own.asks, signal), signal)
    await this.#each(steps.retire, 'retired', (own) => writer.retire(own, signal), signal)
    const due = this.#dueOf(steps.retired)
    await this.#each(due, 'removed', (own) => writer.remove(own, signal), signal)
  }

  #tellForeign(keys: readonly string[]): void {
    for (const key of keys) {
      if (!this.#foreign.has(key))
        this.#parts.log.warn({ template: key }, 'claim template of somebody else left alone')
    }
    this.#foreign = new Set(keys)
  }

  /** Those that have been seen as retired for long enough; a process that begins counts anew. */
  #dueOf(retired: readonly ClaimTemplate[]): readonly ClaimTemplate[] {
    const { clock, retiredMs } = this.#parts
    const nowMs = clock.monotonicMs()
    const since = new Map(retired.map((own) => [keyOf(own), this.#retiredSince.get(keyOf(own)) ?? nowMs]))
    this.#retiredSince = since
    return retired.filter((own) => nowMs - (since.get(keyOf(own)) ?? nowMs) >= retiredMs)
  }

  async #each<T extends TemplateName>(
    items: readonly T[],
    done: 'applied' | 'retired' | 'removed',
    write: (item: T) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    const { log } = this.#parts
    await runPool(
      items,
      async (item) => {
        await write(item)
        log.info({ template: keyOf(item), step: done }, 'claim template written')
      },
      {
        signal,
        onFault: (item, err) => log.warn({ template: keyOf(item), err }, 'claim template not written')
      }
    )
  }
}

function keyOf({ namespace, name }: TemplateName): string {
  return `${namespace}/${name}`
}
