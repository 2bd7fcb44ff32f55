import { StreamBroken } from './kube-error.ts'

/** Longest line of a watch that is taken, bytes; an object in etcd has at most about 1.5 MiB. */
const MAX_LINE_BYTES = 8 * 1024 * 1024

const NEWLINE = 0x0a

/**
 * Cuts a stream of bytes into lines. It works on bytes, so a character that arrives in two pieces stays whole: no byte of a
 * longer UTF-8 character equals a newline.
 */
export class LineSplitter {
  readonly #path: string
  readonly #maxBytes: number
  #pieces: Uint8Array[] = []
  #pendingBytes = 0

  /** `path` is the collection that is watched, for messages. */
  constructor(path: string, maxBytes: number = MAX_LINE_BYTES) {
    this.#path = path
    this.#maxBytes = maxBytes
  }

  /**
   * Takes a piece; yields the lines that it completes, without their newline and without empty ones.
   * @throws StreamBroken when a line is longer than the limit, complete or not
   */
  *push(piece: Uint8Array): Generator<Uint8Array> {
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      this.#keep(piece.subarray(start, end))
      start = end + 1
      if (this.#pendingBytes > 0) yield this.#take()
    }
    this.#keep(piece.subarray(start))
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#pendingBytes += piece.length
    if (this.#pendingBytes > this.#maxBytes) {
      throw new StreamBroken(this.#path, `a line is longer than ${this.#maxBytes} bytes`)
    }
  }

  #take(): Uint8Array {
    const [only] = this.#pieces
    const line = only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#pendingBytes = 0
    return line
  }
}
