import { celPattern } from '../api/cel.ts'
import { celContainers } from './cel-check.ts'
import { cleanPath } from './host-path.ts'
import { containerRule } from './rule.ts'
import { showList, showText } from './show.ts'

/** Where the toolkit reads a list of devices from the paths of mounts. @source NVIDIA container toolkit, device-list-strategy volume-mounts */
const deviceListFolder = /^\/(?:var\/)?run\/nvidia-container-devices(?:$|[/-])/

/** The same before the path is cleaned: slashes and dots may stand between its names. */
const uncleanFolder = String.raw`^/*(?:\./+)*(?:var/+(?:\./+)*)?run/+(?:\./+)*nvidia-container-devices(?:$|[/-])`

const wayOut = 'request nvidia.com/gpu in limits; the device plugin mounts what is needed'

/** Mounts whose path alone asks the toolkit for GPUs, whatever is mounted there. */
export const deviceListMount = containerRule(
  'DeviceListMount',
  ({ mounts }) => {
    const found = mounts.filter(({ mountPath }) => deviceListFolder.test(cleanPath(mountPath)))
    return found.length === 0
      ? undefined
      : {
          seen: `mounts ${showList(found.map(({ volume, mountPath }) => `volume ${showText(volume)} at ${showText(mountPath)}`))}, a path that names GPUs`,
          wayOut
        }
  },
  {
    offenders: celContainers(
      `c.?volumeMounts.orValue([]).exists(m, !m.mountPath.contains('..') && m.mountPath.matches(${celPattern(uncleanFolder)}))`
    ),
    wayOut
  }
)
