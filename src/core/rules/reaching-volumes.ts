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
      const waysOf = wayFinder(reach)
      const reachedBy = mountFollower(volumes, waysOf, reach)
      const breaches = context.security.containers.flatMap((container) => {
        const found = container.mounts.flatMap(reachedBy)
        for (const { volume } of found) mounted.add(volume.name)
        return found.length === 0 ? [] : breach(code, container, { found, what, wayOut })
      })
      const idle = volumes
        .filter(({ name }) => !mounted.has(name))
        .flatMap((volume) => wholly(volume, waysOf(volume)))
      return idle.length === 0 || context.occasion === 'debug'
        ? breaches
        : [...breaches, breach(code, undefined, { found: idle, what, wayOut })]
    }
  }
}

/** What is reached through a volume: one of its paths, or a part below it. */
interface Reached {
  readonly volume: HostVolume
  readonly path: string
  /** '' for the path itself. Put together with it only where it is looked up or shown: both may be long, and mounts many. */
  readonly subPath: string
}

/** The ways through a volume, whoever mounts it. */
interface Ways {
  /** Its first path that leads there by itself. */
  readonly own: string | undefined
  /** Paths before that one, each once, that lead nowhere by themselves: a part of them may. */
  readonly open: readonly string[]
}

/** Finds the ways through volumes, each looked at once, however many mounts there are. */
function wayFinder(reach: HostReach): (volume: HostVolume) => Ways {
  const known = new Map<HostVolume, Ways>()
  return (volume) => {
    const before = known.get(volume)
    if (before !== undefined) return before
    const reaches = [...reachesOf(volume)]
    const at = reaches.findIndex(([, found]) => found === reach)
    const first = at < 0 ? reaches : reaches.slice(0, at)
    const open = first.flatMap(([path, found]) => (found === undefined ? [path] : []))
    const ways = { own: reaches[at]?.[0], open }
    known.set(volume, ways)
    return ways
  }
}

/** What paths of a volume lead to. Several rules look at the same volume, and its paths may be many. */
const reachesByVolume = new WeakMap<HostVolume, ReadonlyMap<string, HostReach | undefined>>()

function reachesOf(volume: HostVolume): ReadonlyMap<string, HostReach | undefined> {
  const before = reachesByVolume.get(volume)
  if (before !== undefined) return before
  const reaches = new Map<string, HostReach | undefined>()
  for (const path of volume.paths) if (!reaches.has(path)) reaches.set(path, hostReachOf(path))
  reachesByVolume.set(volume, reaches)
  return reaches
}

/** What mounts of the volumes reach; the same mount is looked up once, however many containers have it. */
function mountFollower(
  volumes: readonly HostVolume[],
  waysOf: (volume: HostVolume) => Ways,
  reach: HostReach
): (mount: VolumeMount) => readonly Reached[] {
  const named = Map.groupBy(volumes, ({ name }) => name)
  const known = new Map<string, readonly Reached[]>()
  const lookAtPart = partLook()
  const throughPart = (volume: HostVolume, subPath: string): readonly Reached[] => {
    const isFound = (path: string): boolean => [reach, 'anything'].includes(lookAtPart(path, subPath) ?? '')
    const path = waysOf(volume).open.find(isFound)
    return path === undefined ? wholly(volume, waysOf(volume)) : [{ volume, path, subPath }]
  }
  return ({ volume: name, subPath }) => {
    const alike = named.get(name)
    if (alike === undefined) return []
    const key = `${name.length} ${name}/${subPath}`
    const before = known.get(key)
    if (before !== undefined) return before
    const found = alike
      .slice(0, MOST_ALIKE)
      .flatMap((volume) => (subPath === '' ? wholly(volume, waysOf(volume)) : throughPart(volume, subPath)))
    known.set(key, found)
    return found
  }
}

/** Looks up what parts of paths lead to, each once; `anything` for one that is not looked up any more. */
function partLook(): (path: string, subPath: string) => HostReach | 'anything' | undefined {
  const known = new Map<string, Map<string, HostReach | undefined>>()
  let count = 0
  return (path, subPath) => {
    const parts = known.get(path) ?? new Map<string, HostReach | undefined>()
    if (parts.has(subPath)) return parts.get(subPath)
    if (count >= MOST_PARTS) return 'anything'
    count += 1
    const reach = hostReachOf(`${path}/${subPath}`)
    known.set(path, parts.set(subPath, reach))
    return reach
  }
}

/** The volume as it is, where it leads there by itself. */
function wholly(volume: HostVolume, { own }: Ways): readonly Reached[] {
  return own === undefined ? [] : [{ volume, path: own, subPath: '' }]
}

function breach(
  rule: RuleCode,
  container: SecurityContainer | undefined,
  { found, what, wayOut }: { found: readonly Reached[]; what: string; wayOut: string }
): Breach {
  const verb = container === undefined ? 'has' : 'mounts'
  return {
    rule,
    container,
    seen: `${verb} ${showSome(distinct(found), reachedText)}, ${what}`,
    wayOut
  }
}

/** Each thing once, as names and paths tell it. They are numbered, so that no text is read as often as it is mounted. */
function distinct(found: readonly Reached[]): readonly Reached[] {
  const numbers = new Map<string, number>()
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  const keyOf = ({ volume, path, subPath }: Reached): string =>
    [volume.name, path, subPath].map(numberOf).join()
  const each = new Map<string, Reached>()
  for (const reached of found) each.set(keyOf(reached), reached)
  return [...each.values()]
}

function reachedText({ volume, path, subPath }: Reached): string {
  const whole = subPath === '' ? path : `${path}/${subPath}`
  return `volume ${showText(volume.name)} (${sourceOf(volume)}${showText(whole)})`
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
