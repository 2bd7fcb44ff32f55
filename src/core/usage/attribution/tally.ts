import { type WorkloadRef, workloadKey } from '../../pod/workload.ts'
import type { DeviceLabels } from '../dialect-series.ts'
import {
  type AttributionCounts,
  type AttributionReason,
  attributionReasonCodes,
  attributionReasons
} from './reasons.ts'

/** What was not believed of one workload, for one reason. */
export interface AttributionNote {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly reason: AttributionReason
  readonly count: number
  /** Containers that it is about, in order, three at most. */
  readonly containers: readonly string[]
  /** Devices that it is about, in order, three at most: `GPU-… (GPU instance 1)`. */
  readonly devices: readonly string[]
}

/** Counts what is discarded, in all and by workload. */
export interface Tally {
  /** @param whose workload that the value is of; undefined where it is not known */
  add(reason: AttributionReason, whose: Discarded | undefined): void
  /** Counts one thing that may be seen on several devices. */
  addOnce(reason: AttributionReason, whose: readonly Discarded[]): void
  counts(): AttributionCounts
  notes(): readonly AttributionNote[]
}

/** Whose value was discarded. */
export interface Discarded {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly container: string
  /** Device that was measured; undefined where there is none. */
  readonly labels: DeviceLabels | undefined
}

/** Names in one note. */
const NAMES_IN_NOTE = 3

interface Entry extends Omit<Discarded, 'container' | 'labels'> {
  readonly reason: AttributionReason
  count: number
  readonly containers: Set<string>
  readonly devices: Set<string>
}

/** A tally with nothing in it. */
export function newTally(): Tally {
  const counts = new Map<AttributionReason, number>()
  const entries = new Map<string, Entry>()
  const count = (reason: AttributionReason): void => {
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const entryOf = (reason: AttributionReason, { namespace, workload }: Discarded): Entry => {
    const key = [namespace, workloadKey(workload), rankOf(reason)].join('\u0000')
    const entry = entries.get(key) ?? newEntry({ namespace, workload, reason })
    entries.set(key, entry)
    return entry
  }
  return {
    add(reason, whose) {
      count(reason)
      if (whose === undefined) return
      const entry = entryOf(reason, whose)
      entry.count += 1
      nameIn(entry, whose)
    },
    addOnce(reason, whose) {
      const [first] = whose
      if (first === undefined) return
      count(reason)
      entryOf(reason, first).count += 1
      for (const one of whose) nameIn(entryOf(reason, one), one)
    },
    counts: () => Object.fromEntries(attributionReasonCodes.flatMap((code) => countOf(code, counts))),
    notes: () => [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => toNote(entry))
  }
}

function newEntry(of: Pick<Entry, 'namespace' | 'workload' | 'reason'>): Entry {
  return { ...of, count: 0, containers: new Set(), devices: new Set() }
}

function nameIn({ containers, devices }: Entry, { container, labels }: Discarded): void {
  if (container !== '') containers.add(container)
  const device = labels === undefined ? '' : deviceName(labels)
  if (device !== '') devices.add(device)
}

/** A note as a sentence: `container main: several containers were on … (3 daily values, on GPU-…)`. */
export function noteSentence({ reason, count, containers, devices }: AttributionNote): string {
  const who = containers.length === 0 ? '' : `container ${containers.join(', ')}: `
  const on = devices.length === 0 ? [] : [`on ${devices.join(', ')}`]
  const what =
    reason === 'no-memory-series' ? 'only others' : `${count} daily ${count === 1 ? 'value' : 'values'}`
  const details = reason === 'no-memory-series' && on.length === 0 ? [] : [what, ...on]
  return `${who}${attributionReasons[reason]}${details.length === 0 ? '' : ` (${details.join(', ')})`}`
}

function countOf(
  code: AttributionReason,
  counts: ReadonlyMap<AttributionReason, number>
): readonly (readonly [AttributionReason, number])[] {
  const count = counts.get(code)
  return count === undefined ? [] : [[code, count]]
}

function toNote({ namespace, workload, reason, count, containers, devices }: Entry): AttributionNote {
  return { namespace, workload, reason, count, containers: firstOf(containers), devices: firstOf(devices) }
}

function firstOf(names: ReadonlySet<string>): readonly string[] {
  return [...names].sort().slice(0, NAMES_IN_NOTE)
}

function rankOf(reason: AttributionReason): string {
  return String(attributionReasonCodes.indexOf(reason)).padStart(2, '0')
}

function deviceName({ gpuUuid, node, gpuIndex, gpuInstanceId }: DeviceLabels): string {
  const index = gpuIndex === '' ? '' : `GPU ${gpuIndex}${node === '' ? '' : ` of ${node}`}`
  const gpu = gpuUuid === '' ? index : gpuUuid
  return gpu === '' || gpuInstanceId === undefined ? gpu : `${gpu} (GPU instance ${gpuInstanceId})`
}
