import type { Figure } from '../bench/report.ts'
import { atLeast, atMost } from '../chaos/step.ts'
import { failuresOf, type Look, type SoakPlan, type SoakResult } from './soak.ts'
import { riseOfMedians, riseRatio, type Sample } from './trend.ts'

/** What is seen before says how the process grows into its work, and nothing about leaks: a third of the time, ten minutes at most. */
const WARM_UP = { ratio: 1 / 3, mostMs: 600_000 }

/** A trend over less time than this says nothing, s. */
const SHORTEST_TREND_SECONDS = 300

/** Most that memory may rise or fall after the warm-up, %. */
const RSS_PERCENT = 5

/** Most that the number of sockets or timers may rise or fall after the warm-up; the API server keeps now one connection more, now one less. */
const FLAT = 2

/** Longest time between two checks of the memory, s: one is due after 66 s at most, and is made when the next reset, a minute later at most, ends the watch. */
const CHECKED_EVERY_SECONDS = 126

/** The figures of a soak beside their goals; trends have goals only where it lasted long enough. */
export function figuresOf(result: SoakResult, plan: SoakPlan): readonly Figure[] {
  const { tally, seconds } = result
  return [
    atLeast('sent', tally.sent, Math.floor(seconds * plan.perSecond * 0.98)),
    atMost('errors', failuresOf(tally), 0),
    atMost('errors: refused though the policy lets them in', refusedOf(result), 0),
    atMost('errors: timed out', tally.timedOut, 0),
    atMost('errors: not rewritten', tally.notRewritten, 0),
    atMost('errors: let in though they break a rule', tally.slippedIn, 0),
    plain('creation, p50', tally.p50Ms, 'ms'),
    plain('creation, p99', tally.p99Ms, 'ms'),
    plain('creation, longest', tally.longestMs, 'ms'),
    atMost('drift', result.drift, 0),
    atLeast('lists of the nodes that it checked itself by', result.listsOfNodes, leastChecks(seconds)),
    plain('changes of nodes', result.changes),
    plain('resets', result.resets),
    atLeast('watches opened again', result.watchRestarts, result.resets),
    plain('lists after the first', result.relists),
    ...trends(result),
    ...(result.pressureRatio === undefined
      ? []
      : [plain('time in which work waited for a processor', result.pressureRatio * 100, '%')])
  ]
}

function leastChecks(seconds: number): number {
  return Math.floor(seconds / CHECKED_EVERY_SECONDS)
}

function refusedOf({ tally }: SoakResult): number {
  return tally.refusedByRewriting + tally.refusedByIsolation + tally.refusedByOthers
}

function trends({ looks, seconds }: SoakResult): readonly Figure[] {
  const warmUpMs = Math.min(WARM_UP.mostMs, seconds * 1000 * WARM_UP.ratio)
  const warm = looks.filter(({ atMs }) => atMs >= warmUpMs)
  const of = (key: Exclude<keyof Look, 'atMs'>): readonly Sample[] =>
    warm.map((look) => ({ atMs: look.atMs, value: look[key] }))
  const isLong = (seconds * 1000 - warmUpMs) / 1000 >= SHORTEST_TREND_SECONDS
  const goal = (figure: Figure, most: number): Figure =>
    isLong ? atMost(figure.name, Math.abs(figure.value), most, figure.unit) : figure
  return [
    plain('memory in the end', warm.at(-1)?.rssMiB ?? 0, 'MiB'),
    goal(plain('memory, rise or fall after the warm-up', riseRatio(of('rssMiB')) * 100, '%'), RSS_PERCENT),
    plain('heap in use, rise after the warm-up', riseRatio(of('heapMiB')) * 100, '%'),
    plain('sockets in the end', warm.at(-1)?.sockets ?? 0),
    goal(plain('sockets, rise or fall after the warm-up', riseOfMedians(of('sockets'))), FLAT),
    plain('timers in the end', warm.at(-1)?.timers ?? 0),
    goal(plain('timers, rise or fall after the warm-up', riseOfMedians(of('timers'))), FLAT)
  ]
}

function plain(name: string, value: number, unit = ''): Figure {
  return { name, value, unit }
}
