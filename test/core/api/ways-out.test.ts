import { readFileSync } from 'node:fs'
import t from 'tap'
import { reasonCodes } from '../../../src/core/api/reasons.ts'
import { restartOf, waysOut, waysOutFor } from '../../../src/core/api/ways-out.ts'

/** Keys of ours and commands that a way out names must be on the page of its reason, so that both say the same. */
const named =
  /rightslice\.dev\/[a-z-]+|rightslice check --[a-z-]+|onMissingCapacity|toleratedTaints|onQuotaEscape/g

t.test('a way out names no annotation, label or command that the page of its reason leaves out', (t) => {
  for (const code of reasonCodes) {
    const page = readFileSync(new URL(`../../../docs/reasons/${code}.md`, import.meta.url), 'utf8')
    for (const [name] of waysOut[code].join('\n').matchAll(named)) t.match(page, name, `${code}: ${name}`)
  }
  t.end()
})

t.test('every way out is one line that a terminal shows', (t) => {
  for (const code of reasonCodes) {
    for (const line of waysOut[code]) t.match(line, /^[\x20-\x7e]{20,160}$/, `${code}: ${line}`)
  }
  t.end()
})

t.test('names of the pod take the place of their placeholders', (t) => {
  const names = { namespace: 'search', restart: 'RESTARTED', policy: '$&' }

  t.strictSame(waysOutFor('PolicyInvalid', names), ['an admin corrects the field: kubectl edit gpup $&'])
  t.match(waysOutFor('MpsNotListed', names), [/namespaces: \[search\]/, /namespace search rightslice/])
  t.match(waysOutFor('NoFreeSlice', names), [/: RESTARTED$/, /onMissingCapacity/])
  t.match(waysOutFor('PolicyInvalid', { namespace: 'a', restart: '' }), [/POLICY$/])
  t.end()
})

const restarts = [
  { workload: { kind: 'StatefulSet', name: 'db' }, want: 'kubectl rollout restart statefulset/db -n search' },
  { workload: { kind: 'CronJob', name: 'eval' }, want: 'delete the pod, and its CronJob makes a new one' },
  { workload: undefined, want: 'delete the pod and create it again' }
]

for (const { workload, want } of restarts) {
  t.test(`pods of ${workload?.kind ?? 'nothing'} are made anew by: ${want}`, async (t) => {
    t.equal(restartOf('search', workload), want)
  })
}
