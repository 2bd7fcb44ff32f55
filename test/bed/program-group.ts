import { join } from 'node:path'

/** Programs of the bed that come from one pinned Go module. */
export interface ProgramGroup<N extends string> {
  /** What a message calls it, such as `the control plane`. */
  readonly name: string
  readonly programs: readonly N[]
  /** Folder of the go.mod and go.sum that pin it. */
  readonly moduleDirectory: string
  /** Go package of each program. */
  readonly packages: Readonly<Record<N, string>>
  /** Flags of `go build`; part of what names the cache. */
  readonly flags: () => Promise<readonly string[]>
  /** How each program is asked for its version. */
  readonly versionArgs: Readonly<Record<N, readonly string[]>>
  /** Oldest version that will do, as [major, minor]; programs that are not named may be of any version. */
  readonly oldest: readonly [number, number]
  /** Newest version that will do; undefined: any newer one. */
  readonly newest: readonly [number, number] | undefined
  readonly anyVersion: readonly N[]
  /** What the versions are versions of, such as `Kubernetes`. */
  readonly versionOf: string
  readonly firstBuild: string
  /** A record with one entry a program. */
  readonly fill: (fileOf: (program: N) => string) => Readonly<Record<N, string>>
}

/** The two programs of Prometheus. */
export const PROMETHEUS_NAMES = ['prometheus', 'promtool'] as const

/** One of the two programs of Prometheus. */
type PrometheusName = (typeof PROMETHEUS_NAMES)[number]

/** Path of each program of Prometheus. */
export type PrometheusPaths = Readonly<Record<PrometheusName, string>>

/** Prometheus without service discovery, pinned in test/bed/prometheus/go.mod. */
export const PROMETHEUS: ProgramGroup<PrometheusName> = {
  name: 'Prometheus',
  programs: PROMETHEUS_NAMES,
  moduleDirectory: join(import.meta.dirname, 'prometheus'),
  packages: {
    prometheus: 'github.com/prometheus/prometheus/cmd/prometheus',
    promtool: 'github.com/prometheus/prometheus/cmd/promtool'
  },
  flags: () => Promise.resolve(['-p', '2', '-trimpath', '-tags', 'netgo,remove_all_sd', '-ldflags', '-s -w']),
  versionArgs: { prometheus: ['--version'], promtool: ['--version'] },
  oldest: [0, 0],
  newest: undefined,
  anyVersion: PROMETHEUS_NAMES,
  versionOf: 'Prometheus',
  firstBuild: '4 to 6 minutes',
  fill: (fileOf) => ({ prometheus: fileOf('prometheus'), promtool: fileOf('promtool') })
}

/** Name of the program, in the form in which groups hold them. */
export const HELM_NAMES = ['helm'] as const

/** One of `HELM_NAMES`. */
type HelmName = (typeof HELM_NAMES)[number]

/** Path of helm. */
export type HelmPaths = Readonly<Record<HelmName, string>>

/** helm, pinned in test/bed/helm/go.mod. */
export const HELM: ProgramGroup<HelmName> = {
  name: 'Helm',
  programs: HELM_NAMES,
  moduleDirectory: join(import.meta.dirname, 'helm'),
  packages: { helm: 'helm.sh/helm/v3/cmd/helm' },
  flags: () => Promise.resolve(['-p', '2', '-trimpath', '-ldflags', '-s -w']),
  versionArgs: { helm: ['version', '--short'] },
  oldest: [3, 14],
  newest: undefined,
  anyVersion: [],
  versionOf: 'Helm',
  firstBuild: '2 minutes',
  fill: (fileOf) => ({ helm: fileOf('helm') })
}
