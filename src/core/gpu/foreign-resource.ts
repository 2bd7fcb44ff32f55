/** One system that counts GPUs under its own resource names. */
interface ForeignNames {
  readonly system: string
  readonly domain: string
  /** What may follow `domain/`; the whole remainder has to match. */
  readonly names: RegExp
}

/**
 * GPU resource names that are not ours to change, the first match counts; `vgpu-memory` of `volcano.sh` is Volcano's.
 * @source Project-HAMi/HAMi chart values; volcano-sh/devices; AliyunContainerService/gpushare-scheduler-extender;
 *   nebuly-ai/nos; koordinator-sh/koordinator; aws-samples/virtual-gpu-device-plugin; kubernetes/enhancements KEP-5004 (DRA)
 */
const foreignNames: readonly ForeignNames[] = [
  {
    system: 'hami',
    domain: 'nvidia.com',
    names: /^(?:gpumem|gpumem-percentage|gpucores|gpu\.hami|priority)$/
  },
  { system: 'vgpu', domain: 'nvidia.com', names: /^vgpu.*$/ },
  { system: 'nos', domain: 'nvidia.com', names: /^gpu-\d+gb$/ },
  { system: 'nvidia', domain: 'nvidia.com', names: /^.+$/ },
  { system: 'volcano', domain: 'volcano.sh', names: /^(?:vgpu|gpu)-.+$/ },
  { system: 'aliyun', domain: 'aliyun.com', names: /^gpu(?:-mem|-count|-core\.percentage)?$/ },
  { system: 'nos', domain: 'nos.nebuly.com', names: /^.+$/ },
  { system: 'run.ai', domain: 'run.ai', names: /^.+$/ },
  { system: 'koordinator-share', domain: 'koordinator.sh', names: /^gpu[-.].+$/ },
  { system: 'koordinator', domain: 'koordinator.sh', names: /^gpu$/ },
  { system: 'tencent', domain: 'tencent.com', names: /^vcuda-(?:core|memory)$/ },
  { system: 'aws-vgpu', domain: 'k8s.amazonaws.com', names: /^vgpu$/ },
  { system: 'dra', domain: 'deviceclass.resource.kubernetes.io', names: /^.+$/ },
  { system: 'amd', domain: 'amd.com', names: /^gpu(?:[-.].+)?$/ },
  { system: 'intel', domain: 'gpu.intel.com', names: /^.+$/ }
]

/**
 * Names that count for one of the systems, or for any of them, as one regular expression that RE2 reads too.
 * @param systems absent: every name that is foreign, those of `nvidia.com` that are ours included
 */
export function foreignNamePattern(systems?: ReadonlySet<string>): string {
  const meant = foreignNames.filter(({ system }) => systems?.has(system) !== false)
  const names = meant.map(
    ({ domain, names: { source } }) => `${domain.replaceAll('.', '[.]')}/(?:${source.slice(1, -1)})`
  )
  return `^(?:${names.join('|')})$`
}

/**
 * The system that counts GPUs under this resource name, or undefined when the name is no GPU that we know of.
 * A name of `nvidia.com` that nobody explains belongs to system `nvidia`: better left alone than misread.
 */
export function foreignSystemOf(name: string): string | undefined {
  const slash = name.indexOf('/')
  const domain = name.slice(0, slash)
  const rest = name.slice(slash + 1)
  return foreignNames.find((foreign) => foreign.domain === domain && foreign.names.test(rest))?.system
}
