import { type Blocker, blockerKey, blockerOf, firstBlocker } from './blocker.ts'
import { type Block, isMoving, podsOf } from './board.ts'
import { strainOf } from './board-budget.ts'
import { type Course, rollBack, send, settle, startWave } from './course.ts'
import { blockerOfBlock, displace, finishBlock, forceOut, stopRest } from './empty-block.ts'

/** What may be in a cycle: something is waited for behind it. */
type Link = Exclude<Blocker, { readonly kind: 'never' }>

/** One place of a cycle, and what it costs to break it there. */
interface Break {
  readonly blocker: Link
  readonly node: string
  /** Of pods that have to wait, and of those that go to a spare card, in seconds of a replica. */
  readonly parkedSeconds: number
  readonly spareSeconds: number
  /** By how many pods budgets are exceeded, over its steps and those of the others in the cycle. */
  readonly strain: number
  readonly key: string
}

/**
 * Goes on where everything waits for something else: follows what waits for what from `first` until it comes back to
 * itself, and breaks this cycle where budgets are exceeded least, and then where that costs least, at no pod's waiting if there
 * is such a place.
 * @param mostStrain by how many pods budgets may be exceeded
 * @returns nodes of the cycle; none where nothing is broken, for what is waited for never comes or budgets would be exceeded
 */
export function breakCycle(course: Course, first: Blocker, mostStrain = Infinity): readonly string[] {
  const seen = new Map<string, Link>()
  let next: Blocker | undefined = first
  while (next !== undefined && next.kind !== 'never' && !seen.has(blockerKey(next))) {
    seen.set(blockerKey(next), next)
    next = blockerBehind(course, next)
  }
  if (next === undefined || next.kind === 'never') return []
  const start = [...seen.keys()].indexOf(blockerKey(next))
  const cycle = [...seen.values()].slice(start)
  const breaks = cycle.map((blocker) => breakAt(course, blocker, cycle))
  const least = breaks.toSorted(compareBreaks).at(0)
  if (least === undefined || least.strain > mostStrain) return []
  startWave(course, least.node)
  carryOutBreak(course, least.blocker)
  return [...new Set(breaks.map(({ node }) => node))]
}

function blockerBehind(course: Course, blocker: Link): Blocker | undefined {
  switch (blocker.kind) {
    case 'block':
      return blockerOfBlock(course, blocker.block)
    case 'pods':
    case 'budget':
      return firstBlocker(course.board, blocker.pods)
  }
}

function breakAt(course: Course, blocker: Link, cycle: readonly Link[]): Break {
  const mark = course.steps.length
  empty(course, blocker)
  const steps = course.steps.slice(mark)
  const block = blockOf(blocker)
  if (block !== undefined) stopRest(course, block)
  const strains = [...course.strains.slice(mark), ...strainsOfOthers(course, cycle)]
  rollBack(course, mark)
  const sum = (isMeant: (step: (typeof steps)[number]) => boolean): number =>
    steps.filter(isMeant).reduce((total, { cost }) => total + cost.replicaSeconds, 0)
  return {
    blocker,
    node: blocker.kind === 'block' ? blocker.block.node.id : blocker.node,
    strain: strains.reduce((total, one) => total + one, 0),
    parkedSeconds: sum(({ kind }) => kind === 'park'),
    spareSeconds: sum((step) => step.kind === 'move' && step.purpose === 'to-spare'),
    key: blockerKey(blocker)
  }
}

/** By how many pods the others of a cycle exceed budgets, each of which has to go before those come back that wait. */
function strainsOfOthers({ board }: Course, cycle: readonly Link[]): readonly number[] {
  const pods = new Set(cycle.flatMap(podsAt))
  return [...pods].filter((pod) => board.seats.has(pod)).map((pod) => strainOf(board, pod))
}

/** Pods at a place of a cycle. */
function podsAt(blocker: Link): readonly string[] {
  return blockOf(blocker)?.cards.flatMap(podsOf) ?? podsHeldAt(blocker)
}

function compareBreaks(a: Break, b: Break): number {
  const byCost = a.strain - b.strain || a.parkedSeconds - b.parkedSeconds || a.spareSeconds - b.spareSeconds
  if (byCost !== 0) return byCost
  return a.key < b.key ? -1 : 1
}

function carryOutBreak(course: Course, blocker: Link): void {
  const block = blockOf(blocker)
  empty(course, blocker)
  if (block === undefined) settle(course)
  else finishBlock(course, block)
}

function blockOf(blocker: Link): Block | undefined {
  if (blocker.kind === 'block') return blocker.block
  return blocker.kind === 'budget' && typeof blocker.held !== 'string' ? blocker.held : undefined
}

function empty(course: Course, blocker: Link): void {
  const block = blockOf(blocker)
  if (block !== undefined) return forceOut(course, block)
  const pods = podsHeldAt(blocker)
  sendHeldBack(course, pods)
  displace(
    course,
    pods.filter((pod) => isMoving(course.board, pod) && blockerOf(course.board, pod) !== undefined)
  )
}

/** Pods that are in the way, or the one that a budget holds back. */
function podsHeldAt(blocker: Link): readonly string[] {
  if (blocker.kind === 'pods') return blocker.pods
  return blocker.kind === 'budget' && typeof blocker.held === 'string' ? [blocker.held] : []
}

/** Sends those whom only a budget holds back. */
function sendHeldBack(course: Course, pods: readonly string[]): void {
  for (const pod of pods)
    if (blockerOf(course.board, pod)?.kind === 'budget') send(course, pod, { isForced: true })
}
