import { celPattern } from '../api/cel.ts'
import type { RuleCode } from '../api/rules.ts'
import type { HostVolume, SecurityContainer, VolumeMount } from '../pod/security-view.ts'
import { celContainers, celPod } from './cel-check.ts'
import { type HostReach, hostPathPattern, hostReachOf } from './host-path.ts'
import type { Breach, Rule } from './rule.ts'
import { showSome, showText } from './show.ts'

/** Drivers of inline volumes that never show a path of the host, whatever their attributes hold. */
const remoteDrivers =
  /^(?:secrets-store\.csi\.k8s\.io|(?:nfs|smb)\.csi\.k8s\.io|gcsfuse\.csi\.storage\.gke\.io|(?:file|blob)\.csi\.azure\.com|csi\.cert-manager\.io|csi\.spiffe\.io|s3\.csi\.aws\.com|csi\.vault\.hashicorp\.com)$/

/**
 * Parts of volumes, each a path and a subPath, that one pod is looked at for; a mount beyond them counts as one that leads there. No chart
 * comes near: one with 50 different subPaths of one volume has 50 parts. Without a limit a pod of 3 MiB takes minutes.
 */
const MOST_PARTS = 2_000

/** Volumes of one name that a mount is followed to. Names are unique in every pod that is stored. */
const MOST_ALIKE = 8

/** A rule against volumes that lead to one kind of place on the host, by whichever container they are mounted. */
export function pathRule(
  code: RuleCode,
  reach: HostReach,
  { what, wayOut }: { readonly what: string; readonly wayOut: string }
): Rule {
  return {
    code,
    cel: { offenders: celReaching(reach), wayOut },
    find: (context) => {
      const volumes = context.security.hostVolumes.filter(({ source }) => !remoteDrivers.test(source))
      if (volumes.length === 0) return []
      const mounted = new Set<string>()
      const reachedBy = mountFollower(volumes, reach)
      const breaches = context.security.containers.flatMap((container) => {
        const found = container.mounts.flatMap(reachedBy)
        for (const { volume } of found) mounted.add(volume.name)
        return found.length === 0 ? [] : breach(code, container, { found, what, wayOut })
      })
      const idle = volumes
        .filter(({ name }) => !mounted.has(name))
        .flatMap((volume) => ownPath(volume, reach))
      return idle.length === 0 || context.occasion === 'debug'
        ? breaches
        : [...breaches, breach(code, undefined, { found: idle, what, wayOut })]
    }
  }
}

interface Reached {
  readonly volume: HostVolume
  readonly path: string
}

/** What a path leads to; `anything` where it is not looked up any more. */
type Look = (path: string) => HostReach | 'anything' | undefined

interface Search {
  readonly reach: HostReach
  readonly lookAtVolume: Look
  readonly lookAtPart: Look
}

/** What mounts of the volumes reach; the same mount is looked up once, however many containers have it. */
function mountFollower(
  volumes: readonly HostVolume[],
  reach: HostReach
): (mount: VolumeMount) => readonly Reached[] {
  const named = Map.groupBy(volumes, ({ name }) => name)
  const known = new Map<string, readonly Reached[]>()
  const search = { reach, lookAtVolume: lookOnce(Infinity), lookAtPart: lookOnce(MOST_PARTS) }
  return ({ volume: name, subPath }) => {
    const alike = named.get(name)
    if (alike === undefined) return []
    const key = `${name.length} ${name}/${subPath}`
    const before = known.get(key)
    if (before !== undefined) return before
    const found = alike.slice(0, MOST_ALIKE).flatMap((volume) => reachingPath(volume, subPath, search) ?? [])
    known.set(key, found)
    return found
  }
}

/** Looks up every path once, and so many of them. */
function lookOnce(most: number): Look {
  const known = new Map<string, HostReach | undefined>()
  return (path) => {
    if (known.has(path)) return known.get(path)
    if (known.size >= most) return 'anything'
    const reach = hostReachOf(path)
    known.set(path, reach)
    return reach
  }
}

/** The first path of the volume that leads there by itself. */
function ownPath(volume: HostVolume, reach: HostReach): readonly Reached[] {
  const path = volume.paths.find((each) => hostReachOf(each) === reach)
  return path === undefined ? [] : [{ volume, path }]
}

/** The first path of the volume that leads there, by itself or through the part of it that is mounted. */
function reachingPath(
  volume: HostVolume,
  subPath: VolumeMount['subPath'],
  { reach, lookAtVolume, lookAtPart }: Search
): Reached | undefined {
  for (const path of volume.paths) {
    const own = lookAtVolume(path)
    if (own === reach) return { volume, path }
    if (own !== undefined || subPath === '') continue
    const part = `${path}/${subPath}`
    const through = lookAtPart(part)
    if (through === reach || through === 'anything') return { volume, path: part }
  }
  return undefined
}

function breach(
  rule: RuleCode,
  container: SecurityContainer | undefined,
  { found, what, wayOut }: { found: readonly Reached[]; what: string; wayOut: string }
): Breach {
  const distinct = new Map(found.map((each) => [`${each.volume.name}\n${each.path}`, each]))
  const verb = container === undefined ? 'has' : 'mounts'
  return {
    rule,
    container,
    seen: `${verb} ${showSome([...distinct.values()], reachedText)}, ${what}`,
    wayOut
  }
}

function reachedText({ volume, path }: Reached): string {
  return `volume ${showText(volume.name)} (${sourceOf(volume)}${showText(path)})`
}

/** How the volume gets there, before the path; nothing for a hostPath of the pod itself. */
function sourceOf({ source, claim }: HostVolume): string {
  if (claim !== undefined) return `claim ${showText(claim)} of ${showText(source)} `
  return source === 'hostPath' ? '' : `${showText(source)} `
}

/**
 * Containers that mount a volume which leads there, or the part of one that does; else the pod, for one that nobody mounts.
 * Texts with `..` are left to the webhook.
 */
function celReaching(reach: HostReach): string {
  const other = reach === 'devices' ? 'plugin-socket' : 'devices'
  const names = `variables.reaching['${reach}']`
  const part = `v.path + '/' + m.?subPath.orValue(m.?subPathExpr.orValue(''))`
  const reachesByPart = `(has(m.subPath) || has(m.subPathExpr)) && variables.hostPaths.exists(v, v.name == m.name && !(v.name in variables.reaching['${other}']) && (${part}).matches(${celPattern(hostPathPattern(reach))})${notDevices(reach, part)})`
  const mounting = celContainers(
    `c.?volumeMounts.orValue([]).exists(m, m.name in ${names} || (${reachesByPart}))`
  )
  const idle = `${names}.exists(n, !variables.all.exists(c, c.?volumeMounts.orValue([]).exists(m, m.name == n)))`
  return `${mounting} + (${celPod(idle)})`
}

/** What leads to devices too is told as that alone. */
function notDevices(reach: HostReach, path: string): string {
  return reach === 'devices' ? '' : ` && !(${path}).matches(${celPattern(hostPathPattern('devices'))})`
}

/** Names of volumes by what they lead to, for the API server: a map from reach to a list of names. */
export function celReachingVolumes(): string {
  const leads = (reach: HostReach): string => {
    const alone = celPattern(hostPathPattern(reach))
    const inText = celPattern(hostPathPattern(reach, { inText: true }))
    const byText = (texts: string): string =>
      `${texts}.exists(k, !${texts}[k].contains('..') && ${texts}[k].matches(${inText}))`
    const remote = celPattern(remoteDrivers.source)
    const ways = [
      `has(v.hostPath) && v.hostPath.path.matches(${alone})${notDevices(reach, 'v.hostPath.path')}`,
      `has(v.csi) && !v.csi.driver.matches(${remote}) && ${byText('v.csi.?volumeAttributes.orValue({})')}`,
      `has(v.flexVolume) && !v.flexVolume.driver.matches(${remote}) && ${byText('v.flexVolume.?options.orValue({})')}`
    ]
    return ways.map((way) => `(${way})`).join(' || ')
  }
  const devices = `variables.volumes.filter(v, ${leads('devices')}).map(v, v.name)`
  const sockets = `variables.volumes.filter(v, ${leads('plugin-socket')}).map(v, v.name)`
  return `{'devices': ${devices}, 'plugin-socket': ${sockets}}`
}
