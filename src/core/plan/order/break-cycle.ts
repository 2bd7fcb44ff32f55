import { type Blocker, blockerKey, blockerOf } from './blocker.ts'
import { type Course, rollBack, settle, startWave } from './course.ts'
import { blockerOfBlock, displace, finishBlock, forceOut } from './empty-block.ts'

/** One place of a cycle, and what it costs to break it there. */
interface Break {
  readonly blocker: Exclude<Blocker, { readonly kind: 'never' }>
  readonly node: string
  /** Of pods that have to wait, and of those that go to a spare card, in seconds of a replica. */
  readonly parkedSeconds: number
  readonly spareSeconds: number
  readonly key: string
}

/**
 * Goes on where everything waits for something else: follows what waits for what from `first` until it comes back to
 * itself, and breaks this cycle where that costs least, at no pod's waiting if there is such a place.
 * @returns false where what is waited for never comes
 */
export function breakCycle(course: Course, first: Blocker): boolean {
  const seen = new Map<string, Blocker>()
  let next: Blocker | undefined = first
  while (next !== undefined && !seen.has(blockerKey(next))) {
    seen.set(blockerKey(next), next)
    next = blockerBehind(course, next)
  }
  const start = next === undefined ? -1 : [...seen.keys()].indexOf(blockerKey(next))
  const breaks = [...seen.values()].slice(start).flatMap((blocker) => breakAt(course, blocker))
  const least = breaks.toSorted(compareBreaks).at(0)
  if (least === undefined) return false
  startWave(course, least.node)
  carryOutBreak(course, least.blocker)
  return true
}

function blockerBehind(course: Course, blocker: Blocker): Blocker | undefined {
  switch (blocker.kind) {
    case 'block':
      return blockerOfBlock(course, blocker.block)
    case 'pods':
      return blocker.pods.map((pod) => blockerOf(course.board, pod)).find((behind) => behind !== undefined)
    case 'never':
      return undefined
  }
}

function breakAt(course: Course, blocker: Blocker): readonly Break[] {
  if (blocker.kind === 'never') return []
  const mark = course.steps.length
  empty(course, blocker)
  const steps = course.steps.slice(mark)
  rollBack(course, mark)
  const sum = (isMeant: (step: (typeof steps)[number]) => boolean): number =>
    steps.filter(isMeant).reduce((total, { cost }) => total + cost.replicaSeconds, 0)
  return [
    {
      blocker,
      node: blocker.kind === 'block' ? blocker.block.node.id : blocker.node,
      parkedSeconds: sum(({ kind }) => kind === 'park'),
      spareSeconds: sum((step) => step.kind === 'move' && step.purpose === 'to-spare'),
      key: blockerKey(blocker)
    }
  ]
}

function compareBreaks(a: Break, b: Break): number {
  const byCost = a.parkedSeconds - b.parkedSeconds || a.spareSeconds - b.spareSeconds
  if (byCost !== 0) return byCost
  return a.key < b.key ? -1 : 1
}

function carryOutBreak(course: Course, blocker: Break['blocker']): void {
  empty(course, blocker)
  if (blocker.kind === 'block') finishBlock(course, blocker.block)
  else settle(course)
}

function empty(course: Course, blocker: Break['blocker']): void {
  if (blocker.kind === 'block') return forceOut(course, blocker.block)
  displace(
    course,
    blocker.pods.filter((pod) => blockerOf(course.board, pod) !== undefined)
  )
}
