/** A value of a policy that is not taken: which field, what was there, and what it should be. */
export interface Fault {
  /** Path such as `spec.mig.allowedProfiles[0]`. */
  readonly field: string
  readonly value: unknown
  /** What is wrong, to be read after the field and the value: `must be …`. */
  readonly message: string
}

/** A value that was read, or the sentence that says why not. */
export type Parsed<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly message: string }

/** Longest value that is shown in a message, in characters. */
const MAX_SHOWN = 80

/** A value as people recognise it: JSON, cut after 80 characters. */
export function printValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '(absent)')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** One line for logs, warnings and the terminal: `spec.mig.headroom: "20pct" must be …`. */
export function printFault({ field, value, message }: Fault): string {
  return `${field}: ${printValue(value)} ${message}`
}

/** A path of keys and indexes in the form of the API server: `spec.nodeSelector[a.b/c]`, `spec.windows[0].duration`. */
export function printPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((done, key) => {
    if (typeof key === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
      return done === '' ? key : `${done}.${key}`
    }
    return `${done}[${String(key)}]`
  }, '')
}
