import t from 'tap'
import {
  type Incarnation,
  incarnationOf,
  type Sighting
} from '../../../../src/core/usage/attribution/incarnation.ts'
import type { KnownPod } from '../../../../src/core/usage/attribution/known.ts'
import { aKnownPod, DAY, FIRST_DAY, HOUR } from '../../../build/attribution.ts'

const noon = FIRST_DAY + 12 * HOUR
const old = aKnownPod({ uid: 'old', startMs: FIRST_DAY - DAY, endMs: noon })
const young = aKnownPod({ uid: 'young', startMs: noon })

interface Case {
  readonly name: string
  readonly day?: Partial<Sighting['day']>
  readonly labels?: Partial<Sighting['labels']>
  readonly pods?: readonly KnownPod[]
  readonly firstSeenDayMs?: number
  readonly want: string
}

const cases: readonly Case[] = [
  { name: 'the only pod of its name', pods: [aKnownPod()], want: 'uid-1' },
  { name: 'by UID', labels: { podUid: 'old' }, pods: [old, young], want: 'old' },
  {
    name: 'by UID, though it started on that day',
    labels: { podUid: 'young' },
    pods: [young],
    firstSeenDayMs: FIRST_DAY - DAY,
    want: 'young'
  },
  { name: 'another UID', labels: { podUid: 'other' }, pods: [old], want: 'gone, reused' },
  {
    name: 'another UID that is still exported',
    labels: { podUid: 'other' },
    day: { lastMs: FIRST_DAY + 2 * DAY },
    pods: [young],
    want: 'after-end'
  },
  { name: 'nobody of that name', want: 'gone' },
  {
    name: 'by the time of the highest value, before',
    day: { maxAtMs: noon - HOUR },
    pods: [young, old],
    want: 'old'
  },
  {
    name: 'by the time of the highest value, after',
    day: { maxAtMs: noon + HOUR },
    pods: [old, young],
    want: 'young'
  },
  { name: 'where both touch, the later one', day: { maxAtMs: noon }, pods: [old, young], want: 'young' },
  {
    name: 'of two that began together, the first UID',
    day: { maxAtMs: noon },
    pods: [aKnownPod({ uid: 'b' }), aKnownPod({ uid: 'a' }), aKnownPod({ uid: 'a' })],
    want: 'a'
  },
  { name: 'time unknown between two', pods: [old, young], want: 'gone, reused' },
  {
    name: 'the highest value before the start',
    day: { maxAtMs: noon - HOUR },
    pods: [young],
    want: 'gone, reused'
  },
  { name: 'the highest value after the end', day: { maxAtMs: noon + HOUR }, pods: [old], want: 'after-end' },
  { name: 'a day after the end', pods: [{ ...old, endMs: FIRST_DAY - 1 }], want: 'after-end' },
  { name: 'a day before the start', pods: [{ ...young, startMs: FIRST_DAY + DAY }], want: 'gone, reused' },
  { name: 'goes on after the end', day: { lastMs: noon + HOUR }, pods: [old], want: 'after-end' },
  { name: 'ends with the pod, one scrape later', day: { lastMs: noon + 90_000 }, pods: [old], want: 'old' },
  { name: 'begins before the start', day: { firstMs: noon - HOUR }, pods: [young], want: 'gone, reused' },
  {
    name: 'begins with the pod',
    day: { firstMs: noon - 30_000 },
    pods: [young],
    firstSeenDayMs: FIRST_DAY - DAY,
    want: 'young'
  },
  {
    name: 'times unknown, the name is older',
    pods: [young],
    firstSeenDayMs: FIRST_DAY - DAY,
    want: 'gone, reused'
  },
  { name: 'times unknown, the name is new', pods: [young], want: 'young' },
  { name: 'another node that is known', labels: { node: 'n2' }, pods: [aKnownPod()], want: 'gone, reused' },
  {
    name: 'a node that is not known',
    labels: { node: 'exporter-x2k4p' },
    pods: [aKnownPod()],
    want: 'uid-1'
  },
  { name: 'a pod without a node', labels: { node: 'n2' }, pods: [aKnownPod({ node: '' })], want: 'uid-1' }
]

for (const { name, day, labels, pods = [], firstSeenDayMs = FIRST_DAY, want } of cases) {
  t.test(`[USE13] which pod of a name: ${name}`, async (t) => {
    const found = incarnationOf({
      labels: { node: 'n1', ...labels },
      day: { dayMs: FIRST_DAY, max: 1, ...day },
      pods,
      firstSeenDayMs,
      nodes: new Set(['n1', 'n2']),
      nowMs: FIRST_DAY + 2 * DAY
    })

    t.equal(text(found), want)
  })
}

function text(found: Incarnation): string {
  if (found.kind === 'known') return found.pod.uid
  return found.kind === 'gone' && found.reused ? 'gone, reused' : found.kind
}
