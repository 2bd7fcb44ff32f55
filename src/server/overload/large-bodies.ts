import type { IncomingMessage } from 'node:http'

/** Bodies up to this size need no place, bytes: nearly every pod, and of all connections together no more than 64 MiB. */
const SMALL_BYTES = 128 * 1024

/** What all larger bodies may take up at one time, bytes: five of the largest. */
const PLACE_BYTES = 35 * 1024 * 1024

/** Whether a request says that its body is one of the usual size. */
export function isSmall({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return Number(headers['content-length'] ?? Number.NaN) <= SMALL_BYTES
}

/** Memory for the bodies that are larger than those of nearly all pods; small ones never wait for them. */
export class LargeBodies {
  readonly #largestBytes: number
  #takenBytes = 0

  /** @param largestBytes larger bodies are refused before they are read */
  constructor(largestBytes: number) {
    this.#largestBytes = largestBytes
  }

  /**
   * Takes the place that the body of a request needs. One that does not say its size counts as the largest.
   * @returns the bytes to give back, undefined when there is no place
   */
  take(request: Pick<IncomingMessage, 'headers'>): number | undefined {
    const bytes = Number(request.headers['content-length'] ?? this.#largestBytes)
    const neededBytes = isSmall(request) || bytes > this.#largestBytes ? 0 : bytes
    if (this.#takenBytes + neededBytes > PLACE_BYTES) return undefined
    this.#takenBytes += neededBytes
    return neededBytes
  }

  giveBack(bytes: number): void {
    this.#takenBytes -= bytes
  }
}
