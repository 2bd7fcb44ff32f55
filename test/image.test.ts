import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { fieldAt, fieldOf, listOf, stringOf } from '../src/core/json.ts'

const run = promisify(execFile)
const root = new URL('../', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8')

interface Instruction {
  readonly word: string
  readonly rest: string
}

/** Instructions of the Dockerfile; none of them goes over several lines. */
const instructions: readonly Instruction[] = text('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [word = '', ...rest] = line.split(' ')
    return { word, rest: rest.join(' ') }
  })
const starts = instructions.flatMap(({ word }, index) => (word === 'FROM' ? [index] : []))
const last = instructions.slice(starts.at(-1))
const of = (stage: readonly Instruction[], word: string): readonly string[] =>
  stage.flatMap((instruction) => (instruction.word === word ? [instruction.rest] : []))

t.test('every image that it starts from can be named by its digest', async (t) => {
  const images = of(instructions, 'FROM').map((rest) => rest.split(' ')[0])

  t.equal(images.length, 3)
  for (const image of images) {
    const [, name = '', digest = ''] = /^\$\{(\w+)\}\$\{(\w+):\+@\$\{\2\}\}$/.exec(image ?? '') ?? []
    t.ok(
      of(instructions, 'ARG').some((argument) => argument.startsWith(`${name}=`)),
      `${name} has a default`
    )
    t.ok(of(instructions, 'ARG').includes(digest), `${digest} is an argument`)
  }
  t.ok(
    of(instructions, 'ARG').some((argument) =>
      /^RUNTIME=gcr\.io\/distroless\/nodejs24-\S+:nonroot$/.test(argument)
    )
  )
})

t.test('the last stage has no shell and needs none', async (t) => {
  for (const word of ['RUN', 'SHELL', 'HEALTHCHECK', 'ADD']) t.strictSame(of(last, word), [], word)
  for (const word of ['ENTRYPOINT', 'CMD'])
    for (const rest of of(last, word)) t.ok(Array.isArray(JSON.parse(rest)), `${word} is a list`)
  t.strictSame(of(last, 'ENTRYPOINT'), ['["/nodejs/bin/node", "/app/dist/cli.js"]'])
  t.strictSame(of(last, 'CMD'), ['["webhook"]'])
})

t.test('it runs as a user by number, without rights, before anything is started', async (t) => {
  const [user, ...others] = of(last, 'USER')
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(user ?? '') ?? []

  t.strictSame(others, [])
  t.ok(Number(uid) >= 10_000 && Number(gid) >= 10_000)
  const words = last.map(({ word }) => word)
  t.ok(words.indexOf('USER') < words.indexOf('ENTRYPOINT'))
})

t.test(
  'what is installed for it runs no script of a package, and nothing that only developers need',
  async (t) => {
    t.ok(of(instructions, 'RUN').includes('npm ci --omit=dev --ignore-scripts'))
    const from = of(last, 'COPY').filter((rest) => rest.startsWith('--from='))
    t.strictSame(from, [
      '--from=dependencies /app/node_modules ./node_modules',
      '--from=build /app/dist ./dist'
    ])
  }
)

t.test('everything that is copied is let into the build, and nothing else', async (t) => {
  const copied = of(instructions, 'COPY')
    .filter((rest) => !rest.startsWith('--from='))
    .flatMap((rest) => rest.split(' ').slice(0, -1))
  const allowed = text('.dockerignore').trim().split('\n')

  t.strictSame(allowed.toSorted(), ['*', ...new Set(copied.map((path) => `!${path}`))].toSorted())
  const files = readdirSync(root)
  for (const path of copied) t.ok(files.includes(path), path)
})

/** Packages that the lock file installs without those for developers, as package URLs. */
function lockedPackages(): readonly string[] {
  const packages = Object.entries(Object(fieldOf(JSON.parse(text('package-lock.json')), 'packages')))
  return packages.flatMap(([path, entry]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const isLeftOut = path === '' || fieldOf(entry, 'dev') === true || fieldOf(entry, 'optional') === true
    return isLeftOut ? [] : [`pkg:npm/${name.replace('@', '%40')}@${stringOf(entry, 'version') ?? ''}`]
  })
}

/** npm's own switch to leave out developers' packages also leaves out those that both need, so the list holds all, and marks them. */
t.test('the bill of materials names every package of the image, with its hash and licence', async (t) => {
  const script = stringOf(fieldAt(JSON.parse(text('package.json')), 'scripts'), 'sbom') ?? ''
  const [program = '', ...args] = script.split(' ')
  const { stdout } = await run(program, args, { cwd: fileURLToPath(root), maxBuffer: 1 << 24 })
  const bill: unknown = JSON.parse(stdout)
  const shipped = listOf(bill, 'components').filter(
    (component) =>
      !listOf(component, 'properties').some(
        (property) => fieldOf(property, 'name') === 'cdx:npm:package:development'
      )
  )

  t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { type: 'application' } } })
  t.strictSame(
    [...new Set(shipped.map((component) => stringOf(component, 'purl') ?? ''))].toSorted(),
    [...new Set(lockedPackages())].toSorted()
  )
  for (const component of shipped) {
    t.match(listOf(component, 'hashes'), [{ alg: 'SHA-512' }], stringOf(component, 'name') ?? '')
    t.ok(listOf(component, 'licenses').length > 0, stringOf(component, 'name') ?? '')
  }
})
