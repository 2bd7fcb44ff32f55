import { join } from 'node:path'
import type { ComponentSpec } from './component.ts'
import type { BinaryPaths } from './control-plane-group.ts'
import { kubeconfigPath } from './roles.ts'

/** Everything that the command lines of the control plane are made of. */
export type ControlPlane = {
  readonly paths: BinaryPaths
  readonly directory: string
  readonly ports: { readonly etcd: number; readonly etcdPeer: number; readonly api: number }
  readonly tokenFile: string
  readonly hasControllerManager: boolean
  /** Audit policy to log by; undefined: no audit log. */
  readonly auditPolicyFile: string | undefined
  readonly apiServerArgs: readonly string[]
  readonly controllerManagerArgs: readonly string[]
}

/** A node without a fresh heartbeat stays Ready this long: nothing renews Leases on fake nodes. */
const NODE_GRACE = '24h'

/** File of the API server's own certificate authority and certificate, which it makes at its start. */
export function caFileIn(directory: string): string {
  return join(directory, 'apiserver-certs', 'apiserver.crt')
}

/** File of the audit log. */
export function auditLogIn(directory: string): string {
  return join(directory, 'audit.log')
}

/** Files of the key pair that signs service account tokens. */
export function serviceAccountKeysIn(directory: string): {
  readonly privateKey: string
  readonly publicKey: string
} {
  return { privateKey: join(directory, 'sa.key'), publicKey: join(directory, 'sa.pub') }
}

/** Command line of etcd: on loopback, no waiting for the disk, as its data is thrown away. */
export function etcdSpec({ paths, directory, ports }: ControlPlane): ComponentSpec {
  const client = `http://127.0.0.1:${ports.etcd}`
  const peer = `http://127.0.0.1:${ports.etcdPeer}`
  return {
    name: 'etcd',
    file: paths.etcd,
    directory,
    args: [
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn'
    ]
  }
}

/** Command line of the API server; without a controller manager nobody makes service accounts, so pods go without. */
export function apiServerSpec(plane: ControlPlane): ComponentSpec {
  const { paths, directory, ports, tokenFile } = plane
  const keys = serviceAccountKeysIn(directory)
  return {
    name: 'kube-apiserver',
    file: paths['kube-apiserver'],
    directory,
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      `--secure-port=${ports.api}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--cert-dir=${join(directory, 'apiserver-certs')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${keys.publicKey}`,
      `--service-account-signing-key-file=${keys.privateKey}`,
      `--token-auth-file=${tokenFile}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--allow-privileged',
      '--endpoint-reconciler-type=none',
      ...(plane.hasControllerManager ? [] : ['--disable-admission-plugins=ServiceAccount']),
      ...auditArgs(plane),
      ...plane.apiServerArgs
    ]
  }
}

function auditArgs({ auditPolicyFile, directory }: ControlPlane): readonly string[] {
  if (auditPolicyFile === undefined) return []
  return [`--audit-policy-file=${auditPolicyFile}`, `--audit-log-path=${auditLogIn(directory)}`]
}

/** Command line of the scheduler. */
export function schedulerSpec({ paths, directory }: ControlPlane): ComponentSpec {
  return {
    name: 'kube-scheduler',
    file: paths['kube-scheduler'],
    directory,
    args: [
      `--kubeconfig=${kubeconfigPath(directory, 'kube-scheduler')}`,
      '--leader-elect=false',
      '--secure-port=0'
    ]
  }
}

/** Command line of the controller manager. */
export function controllerManagerSpec({
  paths,
  directory,
  controllerManagerArgs
}: ControlPlane): ComponentSpec {
  return {
    name: 'kube-controller-manager',
    file: paths['kube-controller-manager'],
    directory,
    args: [
      `--kubeconfig=${kubeconfigPath(directory, 'kube-controller-manager')}`,
      `--service-account-private-key-file=${serviceAccountKeysIn(directory).privateKey}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
      '--secure-port=0',
      `--node-monitor-grace-period=${NODE_GRACE}`,
      ...controllerManagerArgs
    ]
  }
}
