import { type Authority, readAuthority } from '../../src/tls/authority.ts'
import type { Leaf } from '../../src/tls/due.ts'
import { issueAuthority, issueServerCertificate, type Validity } from '../../src/tls/issue.ts'

/** A real authority with its key, valid as asked. */
export async function anAuthority(validity: Validity): Promise<Authority & { readonly keyPem: string }> {
  const { certPem, keyPem } = await issueAuthority(validity)
  const authority = readAuthority(certPem, keyPem)
  if (authority?.keyPem === undefined) throw new Error('the authority that was made cannot be read')
  return { ...authority, keyPem: authority.keyPem }
}

/** A server certificate of an authority, for localhost. */
export async function aLeaf(
  authority: Authority & { readonly keyPem: string },
  validity: Validity
): Promise<Leaf> {
  const made = await issueServerCertificate({ authority, validity, names: ['localhost'] })
  return { ...made, ...validity, authority }
}
