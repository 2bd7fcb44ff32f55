import type { RuleCode } from '../../src/core/api/rules.ts'
import { stringOf } from '../../src/core/json.ts'
import type { Breach } from '../../src/core/rules/rule.ts'
import type { Outcome } from './run-case.ts'

/** What the cases call the subject of a rule; `other` for what they have no word for. */
const aboutOf: Readonly<Record<RuleCode, string>> = {
  SharedGpuNotAllowedHere: 'shared-in-hardware-namespace',
  NamedProfileNotAllowed: 'profile-not-allowed',
  MixedGpuResources: 'mixed-gpu-resources',
  MoreThanOneReplica: 'several-replicas',
  RequestNeverMet: 'other',
  VisibleDevicesOverride: 'visible-devices',
  MigControlVariable: 'mig-config',
  PreloadIntoToolkit: 'ld-preload',
  MpsPipeOverride: 'other',
  UnknownEnvironment: 'visible-devices',
  DeviceListMount: 'device-mount',
  HostDevicePath: 'host-path',
  PluginSocketPath: 'plugin-socket',
  CdiAnnotation: 'cdi-annotation',
  PrivilegedWithGpu: 'privileged',
  HostPidWithGpu: 'host-pid',
  HostIpcWithSharedGpu: 'host-ipc',
  RuntimeClassNotAllowed: 'runtime-class',
  NvidiaRuntimeWithoutGpu: 'runtime-class',
  NodeNameSet: 'other',
  ReservedKeyChanged: 'reserved-annotation'
}

/** One blame, as a case writes it or as the rules give it. */
interface Blame {
  readonly pod: string
  readonly container: string
  /** Words that it may be about: a fault of an ephemeral container may be named after it. */
  readonly about: readonly string[]
  readonly level: string
}

/** Compares the entries of `rejects` with what the rules blame: each once, and nothing else. */
export function checkRejects(
  want: unknown,
  { outcomes }: { readonly outcomes: readonly Outcome[] }
): readonly string[] {
  const wanted = Array.isArray(want) ? want.map(toBlame) : []
  const got = distinct(outcomes.flatMap(blamesOf))
  return [
    ...wanted
      .filter((blame) => !got.some((other) => isSame(blame, other)))
      .map((blame) => `not blamed: ${print(blame)}`),
    ...got
      .filter((blame) => !wanted.some((other) => isSame(other, blame)))
      .map((blame) => `blamed as well: ${print(blame)}`)
  ]
}

function toBlame(entry: unknown): Blame {
  return {
    pod: stringOf(entry, 'pod') ?? '',
    container: stringOf(entry, 'container') ?? '',
    about: [stringOf(entry, 'about') ?? ''],
    level: stringOf(entry, 'level') ?? 'reject'
  }
}

function blamesOf({ pod, verdict }: Outcome): readonly Blame[] {
  if (verdict.kind === 'outside') return []
  const name = stringOf(Object(pod).metadata, 'name') ?? stringOf(Object(pod).metadata, 'generateName') ?? ''
  const blame =
    (level: string) =>
    (breach: Breach): Blame => ({
      pod: name,
      container: breach.container?.name ?? '',
      about: [
        aboutOf[breach.rule],
        ...(breach.container?.list === 'ephemeralContainers' ? ['ephemeral-container'] : [])
      ],
      level
    })
  return [...verdict.refused.map(blame('reject')), ...verdict.warned.map(blame('warn'))]
}

function distinct(blames: readonly Blame[]): readonly Blame[] {
  return [...new Map(blames.map((blame) => [print(blame), blame])).values()]
}

/** A case that has one pod does not name it. */
function isSame(wanted: Blame, got: Blame): boolean {
  return (
    (wanted.pod === '' || wanted.pod === got.pod) &&
    wanted.container === got.container &&
    wanted.about.some((word) => got.about.includes(word)) &&
    wanted.level === got.level
  )
}

function print({ pod, container, about, level }: Blame): string {
  return `${pod}/${container || 'the pod itself'} ${about.join(' or ')} (${level})`
}
