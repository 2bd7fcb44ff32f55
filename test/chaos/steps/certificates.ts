import { authoritySecret } from '../../../src/core/api/names.ts'
import { authoritiesIn } from '../../../src/tls/authority.ts'
import { bodyOf } from '../../bed/api-client.ts'
import { PRODUCT_NAMESPACE } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { publishedBundles } from '../../e2e/certificates/load.ts'
import { linesOf, type Replica } from '../replica.ts'
import { atLeast, atMost, type Step } from '../step.ts'

/** Looks at the Secret are a minute apart, and an authority must have been known for two minutes before it signs. */
const PATIENCE_MS = 5 * 60_000

const path = `/api/v1/namespaces/${PRODUCT_NAMESPACE}/secrets/${authoritySecret}`

/** The authority changes as docs/certificates.md tells to do it by hand: first its key is taken away, and then the belief in it. */
export const certificates: Step = {
  name: 'certificates',
  about: 'the authority changes: its key is taken away, and then the belief in it',
  act: async ({ stage: { bed, replicas } }) => {
    const before = replicas.map(replaced)
    const [old = ''] = await publishedBundles(bed)

    await remove(bed, '/data/ca.key')
    await until(
      'every replica serves a certificate of the new authority',
      () => replicas.every((replica, index) => replaced(replica) > (before[index] ?? 0)),
      PATIENCE_MS
    )
    await remove(bed, '/data/previous.crt')
    await until(
      'nobody believes the old authority',
      async () => (await publishedBundles(bed)).every((bundle) => !bundle.includes(old.trim())),
      PATIENCE_MS
    )

    const authorities = authoritiesIn((await publishedBundles(bed)).join(''))
    return {
      figures: [
        atLeast('replicas with a new certificate', replicas.length, before.length),
        atMost('authorities that are believed in the end', authorities.length, 1)
      ]
    }
  }
}

function replaced(replica: Replica): number {
  return linesOf(replica, 'certificate replaced').length
}

async function remove(bed: Bed, pointer: string): Promise<void> {
  const patch = [{ op: 'remove', path: pointer }]
  bodyOf(await bed.request('PATCH', path, patch, 'application/json-patch+json'), `remove ${pointer}`)
}
