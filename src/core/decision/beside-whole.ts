import { fieldOf, type JsonRecord } from '../json.ts'
import { gpuCountsOf, WHOLE_GPU } from '../pod/gpu-request.ts'
import type { ContainerView, PodView } from '../pod/pod-view.ts'
import type { PolicyRead } from '../policy/effective-policy.ts'
import { sharingMethods } from '../sharing/methods.ts'

/** Schedulers of the methods that some policy names: pods of these are not left to them alone. */
export function schedulersNamedBy(policies: readonly PolicyRead[]): readonly string[] {
  const names = new Set(
    policies.flatMap((read) => (read.kind === 'valid' ? (read.policy.methods ?? []) : []))
  )
  return sharingMethods.flatMap(({ name, schedulerName }) =>
    schedulerName !== undefined && names.has(name) ? schedulerName : []
  )
}

/**
 * The pod as its user wrote it, where the webhook of a method's scheduler came first and left something beside a whole GPU: HAMi's
 * asks for all of the compute of a GPU that is asked for without memory. Any other pod stays as it is.
 */
export function asWholeGpus(pod: PodView, policies: readonly PolicyRead[]): PodView {
  const { schedulerName } = pod
  if (schedulerName === undefined) return pod
  const beside = sharingMethods.find((method) => method.schedulerName === schedulerName)?.besideWhole
  if (beside === undefined || !schedulersNamedBy(policies).includes(schedulerName)) return pod
  return { ...pod, containers: pod.containers.map((container) => asWhole(container, beside)) }
}

/** Only a container that names one GPU, or none in so many words, and asks for all of this and for nothing else. */
function asWhole(container: ContainerView, beside: Readonly<Record<string, number>>): ContainerView {
  const asked = new Map(gpuCountsOf(container))
  const names = Object.keys(beside)
  const whole = asked.get(WHOLE_GPU) ?? 0
  const isWhole =
    fieldOf(container.limits, WHOLE_GPU) !== undefined &&
    whole <= 1 &&
    asked.size === names.length + whole &&
    names.every((name) => asked.get(name) === beside[name])
  if (!isWhole) return container
  return {
    ...container,
    limits: without(container.limits, names),
    requests: without(container.requests, names)
  }
}

function without(map: JsonRecord | undefined, names: readonly string[]): JsonRecord | undefined {
  if (map === undefined || names.every((name) => fieldOf(map, name) === undefined)) return map
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)))
}
