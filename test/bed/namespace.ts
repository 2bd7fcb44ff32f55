import { bodyOf } from './api-client.ts'
import { USERS } from './roles.ts'
import type { Bed } from './start-bed.ts'
import { until } from './until.ts'

/** What a namespace of a test may carry. */
type NamespaceOptions = {
  readonly labels?: Readonly<Record<string, string>>
  /** Cluster role that the user `tenant` gets here, such as `edit` (empty without controller manager); default none. */
  readonly tenantRole?: string
}

/** Creates a namespace and waits until pods can be created in it, which needs its default service account. */
export async function createNamespace(bed: Bed, name: string, options: NamespaceOptions = {}): Promise<void> {
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: options.labels ?? {} }
  }
  bodyOf(await bed.request('POST', '/api/v1/namespaces', namespace), `create namespace ${name}`)
  if (options.tenantRole !== undefined) await bindTenant(bed, name, options.tenantRole)
  if (!bed.hasControllerManager) return
  const path = `/api/v1/namespaces/${name}/serviceaccounts/default`
  await until(`service account in ${name}`, async () => (await bed.request('GET', path)).status === 200)
}

async function bindTenant(bed: Bed, namespace: string, role: string): Promise<void> {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USERS.tenant.user }]
  }
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`
  bodyOf(await bed.request('POST', path, binding), `bind tenant in ${namespace}`)
}
