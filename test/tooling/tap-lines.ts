/** Counts of one test file, or of all. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What came of one test file. */
export interface FileResult {
  readonly file: string
  readonly ok: boolean
  readonly counts: Counts
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
    if (!closes) this.#counts = addCounts(this.#counts, countOf(ok, name))
    return undefined
  }

  #close(name: string, ok: boolean): FileResult {
    const own =
      this.#counts.passed + this.#counts.failed + this.#counts.skipped === 0
        ? countOf(ok, name)
        : this.#counts
    const counts = ok || own.failed > 0 ? own : { ...own, failed: 1 }
    const result = { file: name.replace(/ # .*$| \{$/g, ''), ok, counts, output: this.#output }
    this.#counts = none
    this.#output = []
    return result
  }
}

function countOf(ok: boolean, name: string): Counts {
  if (/# (SKIP|TODO)/i.test(name)) return { ...none, skipped: 1 }
  return ok ? { ...none, passed: 1 } : { ...none, failed: 1 }
}
