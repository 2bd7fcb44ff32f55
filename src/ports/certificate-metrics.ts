/** Where it is told how certificates are. */
export interface CertificateMetrics {
  /** @param notAfterMs end of the certificate that is served, ms since the epoch */
  certificateEnds(notAfterMs: number): void
  /** @param notAfterMs end of the authority that signs, ms since the epoch */
  authorityEnds(notAfterMs: number): void
  /** Whether a webhook configuration, by its name, believes all authorities and no other. */
  bundleInSync(configuration: string, inSync: boolean): void
  /** A look at the certificates failed. */
  certificateFault(): void
}
