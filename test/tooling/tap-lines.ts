/** Counts of one test file, or of all. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** A test that was left out, and why. */
export interface Skip {
  readonly name: string
  readonly why: string
}

/** What came of one test file. */
export interface FileResult {
  readonly file: string
  readonly ok: boolean
  readonly counts: Counts
  readonly skips: readonly Skip[]
  /** Its whole output, for a file that failed. */
  readonly output: readonly string[]
}

const none: Counts = { passed: 0, failed: 0, skipped: 0 }

/** Adds two counts. */
export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/**
 * Reads the output of tap line by line. An assertion counts once: the line that closes a subtest is not one.
 * @source TAP 14: a subtest's comment has the indent of the line that closes it
 */
export class TapReader {
  readonly #open = new Set<number>()
  #counts = none
  #skips: Skip[] = []
  #output: string[] = []

  /** Takes one line; returns the file's result when the line closes a file. */
  read(line: string): FileResult | undefined {
    this.#output.push(line)
    const subtest = /^( *)# Subtest: /.exec(line)
    if (subtest !== null) this.#open.add(subtest[1]?.length ?? 0)
    const [, indent, word, name = ''] = /^( *)(not ok|ok) \d+(?: - (.*))?$/.exec(line) ?? []
    return indent === undefined ? undefined : this.#result(indent.length, word === 'ok', name)
  }

  #result(indent: number, ok: boolean, name: string): FileResult | undefined {
    const closes = this.#open.delete(indent) || name.endsWith('{')
    if (indent === 0) return this.#close(name, ok)
    if (!closes) this.#count(ok, name)
    return undefined
  }

  #count(ok: boolean, name: string): void {
    this.#counts = addCounts(this.#counts, countOf(ok, name))
    const skip = skipOf(name)
    if (skip !== undefined) this.#skips.push(skip)
  }

  #close(name: string, ok: boolean): FileResult {
    const counted =
      this.#counts.passed + this.#counts.failed + this.#counts.skipped === 0
        ? countOf(ok, name)
        : this.#counts
    const counts = ok || counted.failed > 0 ? counted : { ...counted, failed: 1 }
    const file = name.replace(/ # .*$| \{$/g, '')
    const own = skipOf(name)
    const skips = own === undefined ? this.#skips : [...this.#skips, own]
    const result = { file, ok, counts, skips, output: this.#output }
    this.#counts = none
    this.#skips = []
    this.#output = []
    return result
  }
}

function countOf(ok: boolean, name: string): Counts {
  if (skipOf(name) !== undefined) return { ...none, skipped: 1 }
  return ok ? { ...none, passed: 1 } : { ...none, failed: 1 }
}

function skipOf(name: string): Skip | undefined {
  const [, title, why] = /^(.*?) ?# (?:SKIP|TODO)\b ?(.*?)(?: \{)?$/i.exec(name) ?? []
  return title === undefined ? undefined : { name: title, why: why || 'no reason is given' }
}
