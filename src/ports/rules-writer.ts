/** Writes the table by which the API server checks isolation rules by itself. */
export interface RulesWriter {
  /**
   * Makes the table what it should be, whatever stands there; creates it where it is missing.
   * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED
   */
  write(table: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>
}
