import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BedVersion, VERSIONS } from './kubernetes-version.ts'
import type { ProgramGroup } from './program-group.ts'

/** The five programs of a control plane. */
export const BINARY_NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-scheduler',
  'kube-controller-manager',
  'kubectl'
] as const

/** One of the five programs of a control plane. */
type BinaryName = (typeof BINARY_NAMES)[number]

/** Path of each program of the control plane. */
export type BinaryPaths = Readonly<Record<BinaryName, string>>

/** What messages call the five programs together. */
export const CONTROL_PLANE = 'the control plane'

/**
 * etcd and Kubernetes, pinned in the module files of `version`.
 * @param isNamed somebody asked for this version by name, so a newer one will not do
 */
export function controlPlaneGroup(version: BedVersion, isNamed: boolean): ProgramGroup<BinaryName> {
  const { release, moduleDirectory } = VERSIONS[version]
  return {
    name: CONTROL_PLANE,
    programs: BINARY_NAMES,
    moduleDirectory,
    packages: {
      etcd: 'go.etcd.io/etcd/server/v3',
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl'
    },
    flags: () => controlPlaneFlags(moduleDirectory),
    versionArgs: {
      etcd: ['--version'],
      'kube-apiserver': ['--version'],
      'kube-scheduler': ['--version'],
      'kube-controller-manager': ['--version'],
      kubectl: ['version', '--client']
    },
    oldest: release,
    newest: isNamed ? release : undefined,
    anyVersion: ['etcd'],
    versionOf: 'Kubernetes',
    firstBuild: '10 to 15 minutes',
    fill: (fileOf) => ({
      etcd: fileOf('etcd'),
      'kube-apiserver': fileOf('kube-apiserver'),
      'kube-scheduler': fileOf('kube-scheduler'),
      'kube-controller-manager': fileOf('kube-controller-manager'),
      kubectl: fileOf('kubectl')
    })
  }
}

/** Stamps the version into the programs, or kubectl and discovery would call themselves v0.0.0. */
async function controlPlaneFlags(moduleDirectory: string): Promise<readonly string[]> {
  const file = join(moduleDirectory, 'go.mod')
  const [, version, major, minor] =
    /^\s*k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)\b/m.exec(await readFile(file, 'utf8')) ?? []
  if (version === undefined) throw new Error(`${file} names no version of k8s.io/kubernetes`)
  const stamp = 'k8s.io/component-base/version'
  const linker = `-s -w -X ${stamp}.gitVersion=${version} -X ${stamp}.gitMajor=${major} -X ${stamp}.gitMinor=${minor}`
  return ['-p', '2', '-trimpath', '-ldflags', linker]
}
