import { spawnSync } from 'node:child_process'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { withBuildLock } from './build-lock.ts'

function dontWait(holder: string): void {
  throw new Error(`waits for ${holder}`)
}

await t.test('one works while the other waits', async (t) => {
  const directory = t.testdir()
  const events: string[] = []
  const holds = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<string>()
  const workOne = async (): Promise<void> => {
    holds.resolve()
    await first.promise
    events.push('one')
  }

  const one = withBuildLock(directory, workOne, dontWait)
  await holds.promise
  const two = withBuildLock(directory, async () => void events.push('two'), waiting.resolve)
  t.equal(await waiting.promise, `${hostname()} ${process.pid}`)
  first.resolve()
  await Promise.all([one, two])

  t.strictSame(events, ['one', 'two'])
})

await t.test('the lock is given back when the work fails', async (t) => {
  const directory = t.testdir()

  await t.rejects(
    withBuildLock(directory, () => Promise.reject(new Error('no room')), dontWait),
    /no room/
  )

  t.notOk(existsSync(join(directory, 'lock')))
})

const STALE = [
  { name: 'of a process that is gone', holder: `${hostname()} ${spawnSync('/bin/true').pid}`, ageSeconds: 0 },
  { name: 'that its holder no longer touches', holder: `${hostname()} ${process.pid}`, ageSeconds: 60 }
]
for (const { name, holder, ageSeconds } of STALE) {
  await t.test(`a lock ${name} is taken over`, async (t) => {
    const directory = t.testdir()
    const lockFile = join(directory, 'lock')
    writeFileSync(lockFile, holder)
    utimesSync(lockFile, Date.now() / 1000, Date.now() / 1000 - ageSeconds)

    t.equal(await withBuildLock(directory, async () => 'worked', dontWait), 'worked')
    t.notOk(existsSync(lockFile))
  })
}
