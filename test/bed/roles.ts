import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { User } from './api-client.ts'

/** Who talks to the API server. Only `admin` may do everything; the product's two have what manifests/ grants them. */
export const ROLES = [
  'admin',
  'webhook',
  'controller',
  'tenant',
  'kube-controller-manager',
  'kube-scheduler'
] as const

/** Who talks to the API server. */
export type Role = (typeof ROLES)[number]

/** Namespace of the product's service accounts. */
export const PRODUCT_NAMESPACE = 'rightslice-system'

const OF_SERVICE_ACCOUNTS = ['system:serviceaccounts', `system:serviceaccounts:${PRODUCT_NAMESPACE}`]

/** User name and groups behind each role; the API server adds `system:authenticated` itself. */
export const USERS: Readonly<Record<Role, User>> = {
  admin: { user: 'bed-admin', groups: ['system:masters'] },
  webhook: {
    user: `system:serviceaccount:${PRODUCT_NAMESPACE}:rightslice-webhook`,
    groups: OF_SERVICE_ACCOUNTS
  },
  controller: {
    user: `system:serviceaccount:${PRODUCT_NAMESPACE}:rightslice-controller`,
    groups: OF_SERVICE_ACCOUNTS
  },
  tenant: { user: 'tenant', groups: ['tenants'] },
  'kube-controller-manager': { user: 'system:kube-controller-manager', groups: [] },
  'kube-scheduler': { user: 'system:kube-scheduler', groups: [] }
}

/** A secret per role, in the file that the API server reads. */
export type Credentials = {
  readonly tokenFile: string
  readonly token: (role: Role) => string
}

/** Makes a fresh token for each role and writes the API server's token file into `directory`. */
export async function makeCredentials(directory: string): Promise<Credentials> {
  const tokens = new Map(ROLES.map((role) => [role, randomBytes(16).toString('hex')]))
  const token = (role: Role): string => tokens.get(role) ?? ''
  const lines = ROLES.map((role) => {
    const { user, groups } = USERS[role]
    return `${token(role)},${user},${role},"${groups.join(',')}"\n`
  })
  const tokenFile = join(directory, 'tokens.csv')
  await writeFile(tokenFile, lines.join(''), { mode: 0o600 })
  return { tokenFile, token }
}

/** Path of the kubeconfig of `role` in `directory`. */
export function kubeconfigPath(directory: string, role: Role): string {
  return join(directory, `${role}.kubeconfig`)
}

/** Writes one kubeconfig per role into `directory`. */
export async function writeKubeconfigs(
  directory: string,
  server: { readonly url: string; readonly caFile: string },
  credentials: Credentials
): Promise<void> {
  for (const role of ROLES) {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'bed',
      clusters: [{ name: 'bed', cluster: { server: server.url, 'certificate-authority': server.caFile } }],
      users: [{ name: role, user: { token: credentials.token(role) } }],
      contexts: [{ name: 'bed', context: { cluster: 'bed', user: role, namespace: 'default' } }]
    }
    await writeFile(kubeconfigPath(directory, role), stringify(config), { mode: 0o600 })
  }
}
