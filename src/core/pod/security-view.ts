import { fieldOf, type JsonRecord, listOf, recordOf, stringMapOf, stringOf, stringsOf } from '../json.ts'
import { type EnvVariable, environmentReader } from './environment.ts'

/** The lists of containers that a pod may have, in the order in which they are looked at. */
export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** One mount of a volume. */
export interface VolumeMount {
  readonly volume: string
  readonly mountPath: string
  /** Path inside the volume, with variables as they are written; '' for the whole volume. */
  readonly subPath: string
}

/** A container as isolation rules look at it, whatever list it is in. */
export interface SecurityContainer {
  readonly list: (typeof containerLists)[number]
  readonly name: string
  readonly privileged: boolean
  readonly addedCapabilities: readonly string[]
  readonly limits: JsonRecord | undefined
  readonly requests: JsonRecord | undefined
  readonly usesClaims: boolean
  /** Every entry of the environment, also those that a later one overrides. */
  readonly env: readonly EnvVariable[]
  /** Prefixes of the sources whose variables are taken over unseen. */
  readonly unseenPrefixes: readonly string[]
  readonly mounts: readonly VolumeMount[]
}

/** A volume through which a container may reach the host. */
export interface HostVolume {
  readonly name: string
  /** `hostPath`, or the driver of an inline CSI or Flex volume. */
  readonly source: string
  /** Paths of the host that it names, as they are written. */
  readonly paths: readonly string[]
  /** The claim through which it is reached; absent where the pod names it itself. */
  readonly claim?: string
}

/** The part of a pod that isolation rules read. */
export interface SecurityView {
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly hostPid: boolean
  readonly hostIpc: boolean
  readonly usesClaims: boolean
  readonly containers: readonly SecurityContainer[]
  readonly hostVolumes: readonly HostVolume[]
}

/**
 * Reads a pod for the isolation rules: all three lists of containers. Never throws; a field of another type than expected
 * counts as missing.
 */
export function readSecurity(raw: unknown): SecurityView {
  const metadata = fieldOf(raw, 'metadata')
  const spec = fieldOf(raw, 'spec')
  const readEnvironment = environmentReader()
  const containersOf = (list: SecurityContainer['list']): readonly SecurityContainer[] =>
    listOf(spec, list).map((own) => readContainer(own, list, readEnvironment(own)))
  return {
    annotations: stringMapOf(metadata, 'annotations'),
    labels: stringMapOf(metadata, 'labels'),
    hostPid: fieldOf(spec, 'hostPID') === true,
    hostIpc: fieldOf(spec, 'hostIPC') === true,
    usesClaims: listOf(spec, 'resourceClaims').length > 0,
    containers: containerLists.flatMap(containersOf),
    hostVolumes: listOf(spec, 'volumes').flatMap(readHostVolume)
  }
}

function readContainer(
  raw: unknown,
  list: SecurityContainer['list'],
  env: SecurityContainer['env']
): SecurityContainer {
  const security = fieldOf(raw, 'securityContext')
  const resources = fieldOf(raw, 'resources')
  return {
    list,
    name: stringOf(raw, 'name') ?? '',
    privileged: fieldOf(security, 'privileged') === true,
    addedCapabilities: stringsOf(fieldOf(security, 'capabilities'), 'add'),
    limits: recordOf(resources, 'limits'),
    requests: recordOf(resources, 'requests'),
    usesClaims: listOf(resources, 'claims').length > 0,
    env,
    unseenPrefixes: listOf(raw, 'envFrom').map((source) => stringOf(source, 'prefix') ?? ''),
    mounts: listOf(raw, 'volumeMounts').map(readMount)
  }
}

function readMount(raw: unknown): VolumeMount {
  return {
    volume: stringOf(raw, 'name') ?? '',
    mountPath: stringOf(raw, 'mountPath') ?? '',
    subPath: stringOf(raw, 'subPath') ?? stringOf(raw, 'subPathExpr') ?? ''
  }
}

function readHostVolume(raw: unknown): readonly HostVolume[] {
  const name = stringOf(raw, 'name') ?? ''
  const path = stringOf(fieldOf(raw, 'hostPath'), 'path')
  if (path !== undefined) return [{ name, source: 'hostPath', paths: [path] }]
  return [
    inlineVolume(raw, name, 'csi', 'volumeAttributes'),
    inlineVolume(raw, name, 'flexVolume', 'options')
  ].flatMap((volume) => volume ?? [])
}

function inlineVolume(raw: unknown, name: string, kind: string, key: string): HostVolume | undefined {
  const source = stringOf(fieldOf(raw, kind), 'driver')
  return source === undefined ? undefined : { name, source, paths: pathsIn(fieldOf(raw, kind), key) }
}

/** Paths in the values of a driver's settings: `source=/dev,ro` names one. */
export function pathsIn(settings: unknown, key: string): readonly string[] {
  const values = Object.values(stringMapOf(settings, key))
  return values.flatMap((value) => value.split(/[\s,;=:]+/).filter((part) => part.startsWith('/')))
}
