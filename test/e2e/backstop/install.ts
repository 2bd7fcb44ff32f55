import { fileURLToPath } from 'node:url'
import { type Answer, bodyOf, type SendRequest, type User } from '../../bed/api-client.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'

const base = new URL('../../../manifests/base/', import.meta.url)
const rbac = '/apis/rbac.authorization.k8s.io/v1'

/** Installs the shipped policies and the roles for people; nothing else of the product is needed. */
export async function installPolicies(bed: Bed): Promise<void> {
  for (const file of ['namespace.yaml', 'crd.yaml', 'roles.yaml', 'admission-policies.yaml']) {
    const { code, stderr } = await bed.kubectl(['apply', '-f', fileURLToPath(new URL(file, base))])
    if (code !== 0) throw new Error(stderr)
  }
}

/** Whether an answer is a refusal by the policy. */
export function isRefusedBy(policy: string, { status, body }: Answer): boolean {
  return status === 403 && JSON.stringify(body).includes(`ValidatingAdmissionPolicy '${policy}'`)
}

/** Waits until a policy acts on a request that it should refuse; a new one takes about a second. */
export async function untilActing(policy: string, probe: () => Promise<Answer>): Promise<void> {
  await until(`${policy} acts`, async () => isRefusedBy(policy, await probe()))
}

/** Lets a user do `verbs` on `resources` (`group/plural`) in the whole cluster. */
export async function grant(
  bed: Bed,
  user: User,
  { verbs, resources }: { readonly verbs: readonly string[]; readonly resources: readonly string[] }
): Promise<void> {
  const name = `${user.user}-${resources.join('-')}`.replaceAll(/[^a-z0-9-]/g, '-')
  const rules = resources.map((resource) => {
    const [group, ...plural] = resource.split('/')
    return { apiGroups: [group], resources: [plural.join('/')], verbs }
  })
  const role = { metadata: { name }, rules }
  bodyOf(await bed.request('POST', `${rbac}/clusterroles`, role), `create role ${name}`)
  await bind(bed, user, name)
}

/** Binds a user to a ClusterRole in the whole cluster. */
export async function bind(bed: Bed, { user }: User, role: string): Promise<void> {
  const binding = {
    metadata: { name: `${user}-${role}`.replaceAll(':', '-') },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }]
  }
  bodyOf(await bed.request('POST', `${rbac}/clusterrolebindings`, binding), `bind ${user} to ${role}`)
}

/** Waits until a user may do something; the API server hears of roles a moment after they are written. */
export async function untilAllowed(
  as: SendRequest,
  attributes: {
    readonly verb: string
    readonly group: string
    readonly resource: string
    readonly namespace?: string
  }
): Promise<void> {
  await until(`may ${attributes.verb} ${attributes.resource}`, async () => {
    const review = { spec: { resourceAttributes: attributes } }
    const { body } = await as('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)
    return JSON.stringify(body).includes('"allowed":true')
  })
}
