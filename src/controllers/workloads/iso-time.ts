/** A time as Kubernetes writes it, in whole seconds: `2026-11-19T14:02:00Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** ms since the epoch of a time that is written so; undefined for anything else. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
