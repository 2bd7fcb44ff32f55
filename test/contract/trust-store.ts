import type { Test } from 'tap'
import { type WebhookConfiguration, webhookConfigurations } from '../../src/core/api/names.ts'
import type { TrustStore } from '../../src/ports/trust-store.ts'
import { issueAuthority } from '../../src/tls/issue.ts'

/** The API server takes no bundle that holds no certificate. */
const { certPem } = await issueAuthority({ notBeforeMs: 0, notAfterMs: 4e12 })
const { signal } = new AbortController()

/**
 * What every TrustStore promises; `make` gives one where the first configuration has these webhooks, without bundles, and the others
 * do not exist.
 */
export function trustStoreContract(
  t: Test,
  make: (t: Test, first: WebhookConfiguration, webhooks: readonly string[]) => Promise<TrustStore>
): void {
  const [first] = webhookConfigurations
  const names = ['a.rightslice.dev', 'b.rightslice.dev']
  const bundlePem = certPem + certPem

  t.test(
    'configurations come in the order of the table, and those that do not exist without webhooks',
    async (t) => {
      const store = await make(t, first, names)

      t.strictSame(
        await store.read(signal),
        webhookConfigurations.map((configuration) => ({
          configuration,
          webhooks: configuration === first ? names.map((name) => ({ name, bundlePem: '' })) : undefined
        }))
      )
    }
  )

  t.test('a bundle that was written is read, in every webhook that was named', async (t) => {
    const store = await make(t, first, names)

    await store.write(first, { webhooks: names, bundlePem }, signal)

    const [read] = await store.read(signal)
    t.strictSame(
      read?.webhooks,
      names.map((name) => ({ name, bundlePem }))
    )
  })

  t.test('a configuration or webhook that does not exist is not made', async (t) => {
    const store = await make(t, first, names)
    const [, second] = webhookConfigurations

    await t.rejects(store.write(second, { webhooks: names, bundlePem }, signal), {
      code: 'KUBE_REFUSED'
    })
    await t.rejects(store.write(first, { webhooks: ['c.rightslice.dev'], bundlePem }, signal), {
      code: 'KUBE_REFUSED'
    })
  })
}
