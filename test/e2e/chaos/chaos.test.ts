import t, { type Test } from 'tap'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { isMet } from '../../bench/report.ts'
import { smallBed } from '../../chaos/on-bed.ts'
import { figuresOf, runStep } from '../../chaos/run-step.ts'
import { setStage } from '../../chaos/stage.ts'
import { steps } from '../../chaos/steps/all.ts'

/*
 * The short form of `npm run test:chaos`: the same steps and goals, few creations a second, since other tests run beside it, and each step only as long as
 * its mischief takes; without the calm that the long form compares with. Certificates are looked after twice a second here.
 */

const plan = { perSecond: 3, seconds: 4 }

async function shortChaos(t: Test, { bed, simulator }: OnBed): Promise<void> {
  const stage = await setStage(bed, simulator, {
    replicas: 2,
    drainSeconds: 3,
    lateSeconds: 1,
    isHasty: true
  })
  t.teardown(() => stage.close())

  for (const step of steps.filter(({ name }) => name !== 'calm'))
    await t.test(`no creation fails while ${step.about}`, async (t) => {
      const result = await runStep(stage, step, plan)

      const figures = figuresOf(result, plan)
      for (const { name, value, unit } of figures) t.comment(`${name}: ${value} ${unit}`)
      const missed = figures.filter((figure) => isMet(figure) === false)
      t.strictSame(missed, [], result.tally.examples.join('\n'))
      t.ok(result.tally.letIn > 0 && result.tally.refusedByPolicy > 0, 'pods of both sorts were judged')
    })
}

await bedTest(t, 'replicas of the webhook while all sorts of things go wrong', shortChaos, {
  ...smallBed,
  losesApiServer: true
})
