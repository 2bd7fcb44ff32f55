import { createHash } from 'node:crypto'
import { type WorkloadRef, workloadKey } from '../../core/pod/workload.ts'

/** Longest name of an object. @source RFC 1123 subdomain, as Kubernetes demands of names */
const MAX_NAME = 253

/** A dash and eight hexadecimal digits tell apart what would have one name. */
const OWN_PART = 9

/**
 * Name of the GpuWorkload of a workload: `deployment-reranker`, `raycluster-train-gpu-group`; always a DNS name. Where letters had to
 * be left out, the name is too long, or it is taken by another workload, eight digits that follow from the workload are added.
 * @param isTaken whether another workload has this name
 */
export function objectNameOf(workload: WorkloadRef, isTaken: (name: string) => boolean): string {
  const { kind, name, role } = workload
  const wanted = [kind, name, ...(role === undefined ? [] : [role])].join('-').toLowerCase()
  const valid = toDnsName(wanted)
  const isExact = valid === wanted && (role ?? '') === (role ?? '').toLowerCase()
  if (isExact && valid.length <= MAX_NAME && !isTaken(valid)) return valid
  const digest = createHash('sha256')
    .update(workloadKey(workload))
    .digest('hex')
    .slice(0, OWN_PART - 1)
  return `${toDnsName(valid.slice(0, MAX_NAME - OWN_PART))}-${digest}`
}

/** Other letters become dashes; a part between dots neither begins nor ends with one. */
function toDnsName(text: string): string {
  return text
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .split('.')
    .map((part) => part.replace(/^-+/, '').replace(/-+$/, ''))
    .filter((part) => part !== '')
    .join('.')
}
