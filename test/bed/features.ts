import { type BedVersion, bedVersion, VERSIONS } from './kubernetes-version.ts'

/** A part of Kubernetes that is off in some of the supported releases. */
type Feature = {
  /** What a person calls it. */
  readonly name: string
  /** First release in which it is on by default. */
  readonly onSince: readonly [number, number]
  /** What it is before, such as `alpha and off`. */
  readonly before: string
}

/**
 * What a test may need and an older supported release lacks, by feature gate.
 * @source pkg/features/kube_features.go of k8s.io/kubernetes v1.34.4 and v1.36.3, pkg/features/kube_features.go of k8s.io/apiserver
 */
export const FEATURES = {
  DRAExtendedResource: {
    name: 'extended resources served by DRA',
    onSince: [1, 36],
    before: 'alpha and off'
  },
  DRAPartitionableDevices: {
    name: 'partitionable devices of DRA',
    onSince: [1, 36],
    before: 'alpha and off'
  },
  DRAConsumableCapacity: {
    name: 'consumable capacity of DRA',
    onSince: [1, 36],
    before: 'alpha and off'
  },
  DRADeviceTaints: { name: 'device taints of DRA', onSince: [1, 36], before: 'alpha and off' },
  MutatingAdmissionPolicy: { name: 'MutatingAdmissionPolicy', onSince: [1, 36], before: 'beta and off' }
} as const satisfies Readonly<Record<string, Feature>>

/**
 * Why what needs `feature` cannot be tested on a bed of `version`, as a reason to skip by; undefined where it can.
 * @param version by default the release that beds of this process are
 */
export function whyWithout(
  feature: keyof typeof FEATURES,
  version: BedVersion = bedVersion().version
): string | undefined {
  const { name, onSince, before } = FEATURES[feature]
  const [major, minor] = VERSIONS[version].release
  if (major > onSince[0] || (major === onSince[0] && minor >= onSince[1])) return undefined
  return `Kubernetes ${version} is without ${name} (gate ${feature}: ${before}, on since ${onSince.join('.')})`
}
