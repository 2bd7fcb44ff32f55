import t, { type Test } from 'tap'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { isMet } from '../../bench/report.ts'
import { smallBed } from '../../chaos/on-bed.ts'
import { figuresOf } from '../../soak/figures.ts'
import { soak } from '../../soak/soak.ts'

/*
 * The short form of `npm run test:soak`: fewer creations, since other tests run beside it, fewer nodes, and resets that come more often. Trends of
 * memory, sockets and timers are shown and not judged, as so short a time says nothing about them.
 */

const plan = { seconds: 30, perSecond: 5, nodes: 20, resetEverySeconds: 5 }

async function shortSoak(t: Test, { bed, simulator }: OnBed): Promise<void> {
  const result = await soak(bed, simulator, plan)

  const figures = figuresOf(result, plan)
  for (const { name, value, unit } of figures) t.comment(`${name}: ${value} ${unit}`)
  const missed = figures.filter((figure) => isMet(figure) === false)
  t.strictSame(missed, [], result.tally.examples.join('\n'))
  t.ok(result.resets >= 4, `${result.resets} resets`)
  t.ok(result.changes >= 20, `${result.changes} changes of nodes`)
  t.ok(
    result.looks.every(({ rssMiB, sockets }) => rssMiB > 0 && sockets > 0),
    'the process was looked at'
  )
}

await bedTest(t, 'an even load while nodes change and watches are reset', shortSoak, smallBed)
