import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readCases } from './case-runner/case-file.ts'
import { judge, type Verdict } from './case-runner/judge.ts'
import { laterFields, laterKinds } from './case-runner/later.ts'

const directory = fileURLToPath(new URL('cases', import.meta.url))
const files = readCases(directory)
const verdicts = files.flatMap(judge)

function isLater({ kind }: Pick<Verdict, 'kind'>): boolean {
  return Object.hasOwn(laterKinds, kind)
}

for (const { id, kind, title, result, wanted, got, remarks } of verdicts.filter(
  (verdict) => !isLater(verdict)
)) {
  t.test(`case ${id} (${kind}) ${title}`, async (t) => {
    t.equal(result, 'right', remarks.join('; ') || `wanted ${wanted}, got ${got}`)
  })
}

t.test('every file of the folder is a case, and its number is its id', async (t) => {
  const names = readdirSync(directory).sort()

  t.ok(names.length > 50)
  t.strictSame(
    files.map(({ id }) => id),
    names.map((name) => name.slice(0, 3))
  )
})

t.test('kinds a to f are judged, all others wait for later work', async (t) => {
  t.strictSame([...new Set(files.filter((file) => !isLater(file)).map(({ kind }) => kind))].sort(), [
    'a',
    'b',
    'c',
    'd',
    'e',
    'f'
  ])
  t.strictSame(Object.keys(laterKinds).sort(), ['g'])
})

t.test(
  'a case of a later kind is listed by name and not judged, and each such kind has a case',
  async (t) => {
    const later = verdicts.filter(({ result }) => result === 'later')

    t.ok(later.every(isLater))
    t.strictSame([...new Set(later.map(({ kind }) => kind))].sort(), Object.keys(laterKinds).sort())
    for (const { kind, remarks } of later) t.strictSame(remarks, [`waits for ${laterKinds[kind]}`])
  }
)

t.test('only fields of the later table are passed over in a case that is judged', async (t) => {
  const passed = verdicts
    .filter((verdict) => !isLater(verdict))
    .flatMap(({ remarks }) => remarks.flatMap((remark) => /^(\w+): later$/.exec(remark)?.[1] ?? []))

  t.strictSame([...new Set(passed)], ['reported'])
  t.ok(passed.every((field) => Object.hasOwn(laterFields, field)))
})
