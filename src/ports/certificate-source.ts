/** A server certificate with its key, PEM. */
export interface ServedCertificate {
  readonly certPem: string
  readonly keyPem: string
}

/** Where the certificate of the server comes from. */
export interface CertificateSource {
  /** The certificate to serve; waits for the first. @throws the signal's reason when it aborts first */
  current(signal: AbortSignal): Promise<ServedCertificate>
  /** Calls `listener` with every certificate after the one that is current; returns a function that ends this. */
  onChange(listener: (certificate: ServedCertificate) => void): () => void
  /** What is missing before API servers believe the certificate, one short text each; once empty, it stays so. */
  missing(): readonly string[]
}
