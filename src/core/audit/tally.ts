import type { OwnerRef } from '../pod/pod-view.ts'
import { type WorkloadRef, workloadKey } from '../pod/workload.ts'
import type { Finding, FoundPod, NamespaceSweep, ViolationCount } from './finding.ts'
import type { PodAudit } from './running-pod.ts'

/** Findings of one namespace that are kept; the others are counted, so that no tenant can fill the memory. */
const MOST_FINDINGS = 200

/** Pods of one finding that are named. */
const MOST_PODS = 5

/** A pod that was judged. */
export interface AuditedPod extends FoundPod {
  readonly workload: WorkloadRef
  readonly template: string
  readonly owner: OwnerRef | undefined
  readonly audit: PodAudit
}

/** Brings together what was found in one namespace, pod by pod; what it keeps is bounded. */
export class NamespaceTally {
  readonly #namespace: string
  readonly #findings = new Map<string, Finding>()
  readonly #counts = new Map<string, ViolationCount>()
  #podCount = 0
  #violatingPods = 0
  #unreviewedPods = 0
  /** Pods whose finding is not kept. */
  #podsLeftOut = 0

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  add(pod: AuditedPod): void {
    const { violations, exempt, isUnreviewed } = pod.audit
    this.#podCount += 1
    if (isUnreviewed) this.#unreviewedPods += 1
    if (violations.length > 0) this.#violatingPods += 1
    for (const { rule, level } of violations) {
      const pods = (this.#counts.get(`${level} ${rule}`)?.pods ?? 0) + 1
      this.#counts.set(`${level} ${rule}`, { rule, level, pods })
    }
    if (violations.length + exempt.length > 0 || isUnreviewed) this.#keep(pod)
  }

  /** @param isWhole whether every pod was seen, and all that it leads to */
  result(isWhole: boolean): NamespaceSweep {
    return {
      namespace: this.#namespace,
      isWhole,
      podCount: this.#podCount,
      findings: [...this.#findings].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding),
      podsLeftOut: this.#podsLeftOut,
      violatingPods: this.#violatingPods,
      unreviewedPods: this.#unreviewedPods,
      counts: [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
    }
  }

  #keep({ name, uid, workload, template, owner, audit }: AuditedPod): void {
    const { policy, violations, exempt, isUnreviewed } = audit
    const wrongs = [
      ...violations.map(({ rule, level }) => `${level} ${rule}`),
      ...exempt.map(({ rule, exemption }) => `${exemption} ${rule}`)
    ]
    const key = JSON.stringify([workloadKey(workload), template, wrongs, isUnreviewed])
    const known = this.#findings.get(key)
    if (known === undefined && !this.#hasRoom(violations.length > 0)) {
      this.#podsLeftOut += 1
      return
    }
    const first = {
      namespace: this.#namespace,
      workload,
      template,
      owner,
      policy,
      podCount: 0,
      pods: [],
      violations,
      exempt,
      isUnreviewed
    }
    const { podCount, pods, ...rest } = known ?? first
    const named = pods.length < MOST_PODS ? [...pods, { name, uid }] : pods
    this.#findings.set(key, { ...rest, podCount: podCount + 1, pods: named })
  }

  /** A violation pushes out what is none, so that what is allowed cannot hide what is not. */
  #hasRoom(isViolation: boolean): boolean {
    if (this.#findings.size < MOST_FINDINGS) return true
    if (!isViolation) return false
    const harmless = [...this.#findings].find(([, { violations }]) => violations.length === 0)
    if (harmless === undefined) return false
    const [key, { podCount }] = harmless
    this.#podsLeftOut += podCount
    return this.#findings.delete(key)
  }
}
