import { fieldAt } from '../../src/core/json.ts'
import type { FakeApiServer } from './fake-api-server.ts'

const leases = '/apis/coordination.k8s.io/v1/namespaces/rightslice-system/leases'

/** Serves the controller's Lease, which whoever comes first gets; says who holds it. */
export function serveLease(api: FakeApiServer): { readonly holder: () => unknown } {
  let lease: string | undefined
  const keep = (body: string): { status: number; body: string } => {
    lease = JSON.stringify({ ...JSON.parse(body), metadata: { resourceVersion: String(api.seen.length) } })
    return { status: 200, body: lease }
  }
  api.answer(leases, ({ body }) => keep(body))
  api.answer(`${leases}/rightslice-controller`, ({ method, body }) => {
    if (method === 'PUT') return keep(body)
    return lease === undefined ? { status: 404, body: '{}' } : { status: 200, body: lease }
  })
  return { holder: () => fieldAt(JSON.parse(lease ?? '{}'), 'spec', 'holderIdentity') }
}
