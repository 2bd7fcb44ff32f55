import { celList } from '../api/cel.ts'
import { namespaceLabels } from '../api/names.ts'
import { askPatterns, celAsks, celFraction, celSelectsShared } from '../rules/asks.ts'
import { limitVariables } from '../rules/mps-pipe-override.ts'
import { migVariables, VISIBLE_DEVICES } from '../rules/offending-variables.ts'
import { celReachingVolumes } from '../rules/reaching-volumes.ts'

/** Variables of the environment that some rule looks at. */
const watched = [
  VISIBLE_DEVICES,
  'NVIDIA_IMEX_CHANNELS',
  ...migVariables,
  'LD_PRELOAD',
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
  ...limitVariables
]

const list = (path: string): string => `object.spec.?${path}.orValue([])`

/** Of ephemeral containers only those that come with the request: the others cannot be taken back. */
const newOnes = `${list('ephemeralContainers')}.filter(c, !oldObject.spec.?ephemeralContainers.orValue([]).exists(o, o.name == c.name))`

const isWatched = `e.name in ${celList(watched)}`

/**
 * What the rules look at, each collected once however many rules ask: an API server spends seconds on one container with
 * 10,000 variables otherwise. Evaluated only where a rule asks for it.
 */
export const isolationVariables: Readonly<Record<string, string>> = {
  isNew: `request.operation == 'CREATE'`,
  isDebug: `request.?subResource.orValue('') == 'ephemeralcontainers'`,
  all: `dyn(${list('initContainers')}) + dyn(${list('containers')}) + dyn(${list('ephemeralContainers')})`,
  containers: `variables.isDebug ? dyn(${newOnes}) : variables.isNew ? variables.all : dyn([])`,
  annotations: 'object.metadata.?annotations.orValue({})',
  annotationsBefore: 'variables.isNew ? {} : oldObject.metadata.?annotations.orValue({})',
  labels: 'object.metadata.?labels.orValue({})',
  volumes: list('volumes'),
  hostPaths: `variables.volumes.filter(v, has(v.hostPath)).map(v, {'name': v.name, 'path': v.hostPath.path})`,
  reaching: celReachingVolumes(),
  marked: `variables.containers.map(c, {
    'name': dyn(c.name),
    'env': dyn(c.?env.orValue([]).filter(e, ${isWatched})),
    'envFrom': dyn(c.?envFrom.orValue([]))
  }).filter(c, c.env.size() > 0 || c.envFrom.size() > 0)`,
  hasFraction: celFraction,
  isKai: `variables.hasFraction && object.spec.?schedulerName.orValue('') == 'kai-scheduler'`,
  selectsShared: celSelectsShared,
  hasGpu: `variables.hasFraction || ${list('resourceClaims')}.size() > 0 || variables.all.exists(c, c.?resources.?claims.orValue([]).size() > 0 || ${celAsks(askPatterns.any)})`,
  hasSharedGpu: `variables.hasFraction || variables.all.exists(c, ${celAsks(askPatterns.shared)} || (variables.selectsShared && ${celAsks(askPatterns.ours)}))`,
  isSharedOk: `namespaceObject.metadata.?labels[?'${namespaceLabels.isolation}'].orValue('') == 'shared-ok'`
}
