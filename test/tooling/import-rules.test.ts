import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { fieldAt, fieldOf, listOf, stringOf } from '../../src/core/json.ts'

/*
 * A rule that finds nothing is no rule. For each one a breach is planted, all of them in one tree, and each must be
 * reported where it is, by its own rule and by no other.
 */
const root = new URL('../../', import.meta.url)
const config: unknown = await import(new URL('.dependency-cruiser.mjs', root).href)
const rules = listOf(fieldOf(config, 'default'), 'forbidden')
const ruleNames = rules.map((rule) => stringOf(rule, 'name') ?? '')

interface Tree {
  [name: string]: Tree | string
}

/** One breach: the file that breaks the rule, what it holds, and files that it needs. */
interface Plant {
  readonly file: string
  readonly text: string
  readonly needs?: Readonly<Record<string, string>>
}

const constant = 'export const value = 1\n'
const importing = (what: string): string => `import { value } from '${what}'\n\nexport const own = value\n`

/** Packages of the planted tree: name to whether only developers need it. */
const packages: Readonly<Record<string, 'dependencies' | 'devDependencies'>> = {
  zod: 'dependencies',
  undici: 'dependencies',
  fastify: 'dependencies',
  pino: 'dependencies',
  'prom-client': 'dependencies',
  highs: 'dependencies',
  '@kubernetes/client-node': 'dependencies',
  '@opentelemetry/api': 'dependencies',
  '@opentelemetry/core': 'dependencies',
  '@opentelemetry/exporter-trace-otlp-http': 'dependencies',
  '@opentelemetry/resources': 'dependencies',
  '@opentelemetry/sdk-trace': 'dependencies',
  tap: 'devDependencies'
}

/** Breaches that need a file of their own kind; those of rooms and of packages with one room are made below. */
const special: Readonly<Record<string, Plant>> = {
  'no-cycles': {
    file: 'src/core/gpu/left.ts',
    text: importing('./right.ts'),
    needs: { 'src/core/gpu/right.ts': importing('./left.ts') }
  },
  'core-stays-in-core': {
    file: 'src/core/gpu/leaves-core.ts',
    text: importing('../../ports/target.ts'),
    needs: { 'src/ports/target.ts': constant }
  },
  'core-no-node': { file: 'src/core/gpu/reads-files.ts', text: importing('node:fs') },
  'core-npm-allow-list': { file: 'src/core/gpu/asks-the-world.ts', text: importing('undici') },
  'tracing-loaded-on-demand': {
    file: 'src/traces-at-once.ts',
    text: importing('./observability/otlp-tracer.ts'),
    needs: { 'src/observability/otlp-tracer.ts': constant }
  },
  'nothing-imports-entry-points': {
    file: 'src/starts-twice.ts',
    text: importing('./main.ts'),
    needs: { 'src/main.ts': constant }
  },
  'src-not-to-test': {
    file: 'src/knows-its-test.ts',
    text: importing('../test/target.ts'),
    needs: { 'test/target.ts': constant }
  },
  'src-not-to-dev-dependency': { file: 'src/needs-tap.ts', text: importing('tap') },
  'no-orphans': { file: 'src/core/gpu/nobody-needs-me.ts', text: constant }
}

const coreRooms = roomsOf(/^core-(\w+)$/, (room) => `src/core/${room}/`)
const shellRooms = roomsOf(/^shell-(\w+)$/, (room) => `src/${room}/`)

/** Rooms that have a rule of their own, by its name. */
function roomsOf(pattern: RegExp, folderOf: (room: string) => string): ReadonlyMap<string, string> {
  const rooms = ruleNames.flatMap((name) => {
    const room = Object.hasOwn(special, name) ? undefined : pattern.exec(name)?.[1]
    return room === undefined ? [] : ([[name, folderOf(room)]] as const)
  })
  return new Map(rooms)
}

/** The breach of a rule, undefined for a rule that nobody thought of. */
function plantFor(name: string): Plant | undefined {
  const rule = rules.find((entry) => stringOf(entry, 'name') === name)
  if (Object.hasOwn(special, name)) return special[name]
  const folder = coreRooms.get(name) ?? shellRooms.get(name)
  if (folder !== undefined) return roomPlant(rule, folder, coreRooms.has(name) ? coreRooms : shellRooms)
  const only = /^(.+)-only-in-\w+$/.exec(name)?.[1]
  const owned = Object.keys(packages).find((key) => key.replaceAll('/', '-') === only)
  return owned === undefined
    ? undefined
    : { file: `src/takes-${only?.replace('@', '')}.ts`, text: importing(owned) }
}

/** A file of the room that imports the first room that its rule does not name. */
function roomPlant(rule: unknown, folder: string, rooms: ReadonlyMap<string, string>): Plant | undefined {
  const forbidden = new RegExp(stringOf(fieldOf(rule, 'to'), 'path') ?? '')
  const allowed = new RegExp(stringOf(fieldOf(rule, 'to'), 'pathNot') ?? '')
  const target = [...rooms.values()]
    .map((room) => `${room}target.ts`)
    .find((file) => forbidden.test(file) && !allowed.test(file))
  if (target === undefined) return undefined
  return {
    file: `${folder}goes-astray.ts`,
    text: importing(`${folder.replace(/[^/]+/g, '..')}${target}`),
    needs: { [target]: constant }
  }
}

/** Imports that every rule must let pass. */
const legal: Readonly<Record<string, string>> = {
  'src/core/decision/legal.ts': `import '../pod/legal.ts'\nimport 'zod'\n`,
  'src/core/pod/legal.ts': constant,
  'src/kube/legal.ts': `import '@kubernetes/client-node'\nimport '../ports/legal.ts'\nimport '../core/pod/legal.ts'\n`,
  'src/observability/legal.ts': `import '@opentelemetry/api'\n\nexport const load = () => import('./otlp-tracer.ts')\n`,
  'src/ports/legal.ts': `import type { value } from 'fastify'\n\nexport type Own = typeof value\n`,
  'src/server/legal.ts': `import 'fastify'\nimport 'node:http'\n`,
  'src/cli.ts': `import './main.ts'\nimport './server/legal.ts'\nimport './kube/legal.ts'\nimport './observability/legal.ts'\nimport './core/decision/legal.ts'\n`,
  'test/legal.ts': `import 'tap'\nimport '../src/core/pod/legal.ts'\n`
}

function treeOf(files: Readonly<Record<string, string>>): Tree {
  const tree: Tree = {}
  for (const [path, text] of Object.entries(files)) {
    const parts = path.split('/')
    const last = parts.pop() ?? ''
    let folder = tree
    for (const part of parts) {
      const below = folder[part] ?? {}
      if (typeof below === 'string') throw new Error(`${path} lies below a file`)
      folder[part] = below
      folder = below
    }
    folder[last] = text
  }
  return tree
}

function packageFiles(): Readonly<Record<string, string>> {
  const manifest: Record<string, Record<string, string>> = { dependencies: {}, devDependencies: {} }
  const files: Record<string, string> = {}
  for (const [name, kind] of Object.entries(packages)) {
    Object.assign(manifest[kind] ?? {}, { [name]: '1.0.0' })
    files[`node_modules/${name}/package.json`] = JSON.stringify({
      name,
      version: '1.0.0',
      type: 'module',
      exports: './index.js'
    })
    files[`node_modules/${name}/index.js`] = constant
  }
  return { ...files, 'package.json': JSON.stringify({ name: 'planted', type: 'module', ...manifest }) }
}

/** Runs a tool of the project; its exit code does not matter, its output does. */
function run(tool: string, args: readonly string[], cwd: string): Promise<unknown> {
  const program = fileURLToPath(new URL(`node_modules/.bin/${tool}`, root))
  // the test runner gives every child its own loaders, with which the tools do not start
  const command = ['-u', 'NODE_OPTIONS', program, ...args]
  return new Promise((resolve, reject) => {
    execFile('env', command, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_fault, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout))
      } catch (cause) {
        reject(new Error(`${tool} wrote no JSON: ${stderr || stdout}`, { cause }))
      }
    })
  })
}

function textOf(file: string): string {
  return readFileSync(new URL(file, root), 'utf8')
}

t.test('every import rule has a planted breach', async (t) => {
  t.strictSame(
    ruleNames.filter((name) => plantFor(name) === undefined),
    []
  )
  t.ok(ruleNames.length > 20)
  t.equal(new Set(ruleNames).size, ruleNames.length)
})

t.test('every import rule says why', async (t) => {
  for (const rule of rules) {
    t.match(stringOf(rule, 'comment') ?? '', /\.$/, stringOf(rule, 'name') ?? 'a rule without a name')
    t.equal(stringOf(rule, 'severity'), 'error')
  }
})

t.test('each planted breach is reported by its own rule, and nothing else is', async (t) => {
  const plants = ruleNames.flatMap((name) => {
    const plant = plantFor(name)
    return plant === undefined ? [] : [{ name, ...plant }]
  })
  const files = Object.assign(
    {
      'tsconfig.json': textOf('tsconfig.json'),
      '.dependency-cruiser.mjs': textOf('.dependency-cruiser.mjs')
    },
    packageFiles(),
    legal,
    ...plants.map(({ file, text, needs }) => ({ ...needs, [file]: text }))
  )
  const cwd = t.testdir(treeOf(files))

  const report = await run('depcruise', ['src', 'test', '--output-type', 'json'], cwd)

  const found = listOf(fieldOf(report, 'summary'), 'violations').map(
    (violation) => `${String(fieldAt(violation, 'rule', 'name'))}: ${stringOf(violation, 'from') ?? ''}`
  )
  const want = plants.map(({ name, file }) => `${name}: ${file}`)
  t.strictSame(found.sort(), want.sort())
})

const lintConfig: unknown = JSON.parse(textOf('.oxlintrc.json'))
const coreOverride = listOf(lintConfig, 'overrides').find((entry) =>
  listOf(entry, 'files').includes('src/core/**/*.ts')
)
const globals = listOf(fieldOf(coreOverride, 'rules'), 'no-restricted-globals').slice(1).map(String)

t.test('each thing that the core may not use is reported there, and only there', async (t) => {
  const texts: Readonly<Record<string, string>> = {
    ...Object.fromEntries(globals.map((name) => [name, `export const own = [${name}]\n`])),
    'math-random': 'export const own = Math.random()\n',
    'node-import': `import { sep } from 'node:path'\n\nexport const own = sep\n`
  }
  const wanted = new Map<string, readonly string[]>([
    ...globals.map((name) => [name, ['eslint(no-restricted-globals)']] as const),
    ['console', ['eslint(no-restricted-globals)']],
    ['math-random', ['eslint(no-restricted-properties)']],
    ['node-import', ['eslint(no-restricted-imports)']]
  ])
  const names = Object.keys(texts)
  const files = Object.fromEntries(
    names.flatMap((name) =>
      ['src/core/pod', 'src/kube'].map((room) => [`${room}/${name}.ts`, texts[name] ?? ''])
    )
  )
  // its own repository, or the tree would be ignored as all test folders are
  const cwd = t.testdir(
    treeOf({ ...files, '.oxlintrc.json': textOf('.oxlintrc.json'), '.git/HEAD': 'ref: refs/heads/main' })
  )

  const report = await run('oxlint', ['--format', 'json', 'src'], cwd)

  const found = listOf(report, 'diagnostics').map((entry) => [
    stringOf(entry, 'filename') ?? '',
    stringOf(entry, 'code') ?? ''
  ])
  t.ok(
    ['Date', 'process', 'fetch', 'setTimeout', 'console', 'crypto'].every((name) => globals.includes(name))
  )
  for (const name of names) {
    t.strictSame(
      found.filter(([file]) => file === `src/core/pod/${name}.ts`).map(([, code]) => code),
      wanted.get(name),
      name
    )
  }
  t.strictSame(
    found.filter(([file]) => file?.startsWith('src/kube/')),
    []
  )
})
