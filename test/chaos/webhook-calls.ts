import type { Bed } from '../bed/start-bed.ts'
import { sumOf } from './replica.ts'

/** Calls that the API server made since it started, by its own count. */
export interface WebhookCalls {
  readonly rewriting: number
  readonly isolation: number
  /** Calls of rewriting that failed, for which the pod was let through as it was. */
  readonly passedOver: number
}

const requests = 'apiserver_admission_webhook_request_total'

/** What the API server says of its calls. */
export async function readCalls(bed: Bed): Promise<WebhookCalls> {
  const { body } = await bed.request('GET', '/metrics')
  const page = String(body)
  return {
    rewriting: sumOf(page, requests, 'name="rewrite.rightslice.dev"'),
    isolation: sumOf(page, requests, 'name="isolation.rightslice.dev"'),
    passedOver: sumOf(page, 'apiserver_admission_webhook_fail_open_count', 'name="rewrite.rightslice.dev"')
  }
}

/** Adds up calls over API servers that were started anew, whose counts begin at 0. */
export class CallCounter {
  readonly #bed: Bed
  #from: WebhookCalls = none
  #ended: WebhookCalls = none

  constructor(bed: Bed) {
    this.#bed = bed
  }

  /** Counts from now on. */
  async start(): Promise<void> {
    this.#from = await readCalls(this.#bed)
    this.#ended = none
  }

  /** Keeps what an API server counted that is about to end. What it still counts in its last moments is lost with it. */
  async beforeRestart(): Promise<void> {
    this.#ended = await this.calls()
    this.#from = none
  }

  /** Calls since the start. */
  async calls(): Promise<WebhookCalls> {
    const now = await readCalls(this.#bed)
    return {
      rewriting: this.#ended.rewriting + now.rewriting - this.#from.rewriting,
      isolation: this.#ended.isolation + now.isolation - this.#from.isolation,
      passedOver: this.#ended.passedOver + now.passedOver - this.#from.passedOver
    }
  }
}

const none: WebhookCalls = { rewriting: 0, isolation: 0, passedOver: 0 }
