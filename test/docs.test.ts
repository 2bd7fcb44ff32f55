import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { configOptions } from '../src/config/schema.ts'
import { toCustomResourceDefinitions } from '../src/core/api/crd.ts'
import { type EventReason, eventReasons } from '../src/core/api/event-reasons.ts'
import { supportedReleases } from '../src/core/api/kubernetes-range.ts'
import {
  namespaceLabels,
  nodeAnnotations,
  ownAnnotations,
  repartitioningTaint,
  sliceLabel,
  userAnnotations
} from '../src/core/api/names.ts'
import { reasonCodes, reasons } from '../src/core/api/reasons.ts'
import { ruleCodes, rules } from '../src/core/api/rules.ts'
import { fieldAt, fieldOf, isRecord } from '../src/core/json.ts'
import { parseValues } from '../src/install/parse-values.ts'
import { openSettings, valueSentences } from '../src/install/values.ts'
import { metricTable } from '../src/observability/metrics.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sections = ['## What it means', '## How it was decided', '## How to change the outcome']

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Files below `folder` whose name ends in `ending`, relative to the project. */
function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

const pages = filesBelow('docs/reasons', '.md').map((path) =>
  path.slice('docs/reasons/'.length, -'.md'.length)
)
const handbook = [
  'README.md',
  'CONTRIBUTING.md',
  'src/README.md',
  'src/core/SPEC.md',
  ...filesBelow('docs', '.md')
]

t.test('every reason code has a page, and every page is that of a code', (t) => {
  t.strictSame(pages.toSorted(), reasonCodes.toSorted())
  t.end()
})

t.test('a page of a reason has its code as title, then what, how and what to do, on one screen', (t) => {
  for (const code of pages) {
    const lines = read(`docs/reasons/${code}.md`).trimEnd().split('\n')
    const headings = lines.filter((line) => line.startsWith('#'))

    t.strictSame(headings, [`# ${code}`, ...sections], code)
    t.equal(lines[0], `# ${code}`, code)
    t.ok(lines.length >= 10 && lines.length <= 30, `${code} has ${lines.length} lines`)
    for (const heading of sections) {
      const next = lines.slice(lines.indexOf(heading) + 1).find((line) => line !== '')
      t.notOk(next === undefined || next.startsWith('#'), `${code}: ${heading} says something`)
    }
  }
  t.end()
})

t.test('the index lists every reason code once, with the sentence of the table', (t) => {
  const rows = read('docs/README.md').match(/^\| \[\w+\]\(reasons\/.*$/gm) ?? []
  const want = reasonCodes.map((code) => `| [${code}](reasons/${code}.md) | ${reasons[code].summary} |`)

  t.strictSame([...rows].sort(), want.toSorted())
  t.end()
})

t.test(
  'the page on installing lists every value with its default and sentence, and every open setting',
  (t) => {
    const page = read('docs/install.md')
    const rows = page.match(/^\| `\w+` .*$/gm) ?? []
    const defaults = parseValues([])
    const keys = Object.keys(valueSentences) as (keyof typeof valueSentences)[]

    t.strictSame(
      rows,
      keys.map((key) => {
        const told = key === 'settings' ? 'none' : `\`${String(defaults[key])}\``
        return `| \`${key}\` | ${told} | ${valueSentences[key]} |`
      })
    )
    t.match(page.replaceAll('\n', ' '), openSettings.map((key) => `\`${key}\``).join(', '))
    t.end()
  }
)

t.test('the pages that say what is needed name the supported releases of Kubernetes', (t) => {
  const { oldest, newest } = supportedReleases

  for (const page of ['README.md', 'docs/install.md']) {
    t.match(read(page).replaceAll('\n', ' '), `Kubernetes ${oldest} to ${newest} `, page)
  }
  t.end()
})

t.test('every Event has its line, with its type and the sentence of the table', (t) => {
  const rows = read('docs/events.md').match(/^\| `\w+` .*$/gm) ?? []
  const told = rows.map((row) => row.split(' | ')).map((cells) => [cells[0], cells[1], cells.at(-1)])
  const want = (Object.keys(eventReasons) as EventReason[]).map((reason) => {
    const { type, summary } = eventReasons[reason]
    return [`| \`${reason}\``, type, `${summary} |`]
  })

  t.strictSame(told, want)
  t.end()
})

t.test('every metric has its line, with type, labels and the sentence of the table', (t) => {
  const rows = read('docs/metrics.md').match(/^\| `rightslice_.*$/gm) ?? []
  const want = Object.entries(metricTable).map(([name, { type, labels, help }]) => {
    const told = labels.map((label) => `\`${label}\``).join(', ') || 'none'
    return `| \`${name}\` | ${type} | ${told} | ${help} |`
  })

  t.strictSame(rows.toSorted(), want.toSorted())
  t.end()
})

t.test(
  'every isolation rule has a page of what it stops and what it cannot, and its line in the index',
  (t) => {
    const want = ['## What it stops', '## What it cannot stop', '## How to live with it']
    const names = filesBelow('docs/rules', '.md').map((path) =>
      path.slice('docs/rules/'.length, -'.md'.length)
    )
    const rows = read('docs/README.md').match(/^\| \[\w+\]\(rules\/.*$/gm) ?? []

    t.strictSame(names.toSorted(), ruleCodes.toSorted())
    for (const code of names) {
      const lines = read(`docs/rules/${code}.md`).trimEnd().split('\n')
      t.strictSame(
        lines.filter((line) => line.startsWith('#')),
        [`# ${code}`, ...want],
        code
      )
      t.ok(lines.length <= 30, code)
    }
    t.strictSame(
      [...rows],
      ruleCodes.map(
        (code) => `| [${code}](rules/${code}.md) | ${rules[code].defaultLevel} | ${rules[code].summary} |`
      )
    )
    t.end()
  }
)

t.test('code names in the prose of a reason page are codes that exist', (t) => {
  for (const code of pages) {
    const named = read(`docs/reasons/${code}.md`).match(/\bsee ([A-Z]\w+)\b/g) ?? []
    for (const reference of named) t.ok(reference.slice('see '.length) in reasons, `${code}: ${reference}`)
  }
  t.end()
})

/** Anchor of a heading, as code hosts make it. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

t.test('every link between documents leads to a file and, where it names one, a heading', (t) => {
  for (const path of handbook) {
    for (const [, target = ''] of read(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const goal = file === '' ? path : join(dirname(path), file)
      const found = existsSync(join(root, goal))
      t.ok(found, `${path}: ${target}`)
      if (anchor === undefined || !found) continue
      const headings = read(goal).match(/^#+ .*$/gm) ?? []
      t.ok(headings.map(anchorOf).includes(anchor), `${path}: heading of ${target}`)
    }
  }
  t.end()
})

t.test('every file and folder that the map and the guide name in code style exists', (t) => {
  const from: Readonly<Record<string, readonly string[]>> = {
    'src/README.md': ['src', '.'],
    'CONTRIBUTING.md': ['.'],
    'README.md': ['.']
  }
  for (const [document, folders] of Object.entries(from)) {
    for (const [, path = ''] of read(document).matchAll(
      /`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:ts|md|json|mjs|yaml)))`/g
    )) {
      const exists = folders.some((folder) => existsSync(join(root, folder, path)))
      t.ok(exists, `${document}: ${path}`)
    }
  }
  t.end()
})

t.test('the pages on annotations, policies and settings leave out nothing', (t) => {
  const annotations = read('docs/annotations.md')
  const policy = read('docs/policy.md')
  const settings = read('docs/settings.md')
  const keys = [namespaceLabels, userAnnotations, ownAnnotations, nodeAnnotations].flatMap((names) =>
    Object.values(names)
  )

  for (const key of [...keys, sliceLabel, repartitioningTaint]) t.match(annotations, `\`${key}\``)
  t.match(annotations, `label \`${sliceLabel}\``)
  for (const field of policyFields()) t.match(policy, `\`${field}\``, `docs/policy.md has ${field}`)
  for (const { key, variable, default: value } of configOptions()) {
    const row = settings.split('\n').find((line) => line.startsWith(`| \`${key}\` | \`${variable}\` |`)) ?? ''
    t.match(row, value === '' ? '| none |' : `| \`${value}\` |`, key)
  }
  t.end()
})

/** Fields of a GpuPolicy's spec and of the objects in it; lists and selectors count as one. */
function policyFields(): readonly string[] {
  const policy = toCustomResourceDefinitions().find(({ spec }) => spec.names.kind === 'GpuPolicy')
  const spec = fieldAt(policy?.spec.versions[0]?.schema.openAPIV3Schema, 'properties', 'spec')
  return fieldsOf(spec).flatMap(([name, schema]) => {
    const parts = name.endsWith('Selector') ? [] : fieldsOf(schema)
    return parts.length === 0 ? [name] : parts.map(([part]) => `${name}.${part}`)
  })
}

function fieldsOf(schema: unknown): readonly (readonly [string, unknown])[] {
  const properties = fieldOf(schema, 'properties')
  return isRecord(properties) ? Object.entries(properties) : []
}

const rule = /^- \*\*((GPU|POD|POL|USE|EST|SHA|RULE|DEC|PAT|BACK)(\d+))\*\* /gm

t.test('rules have ids that rise by group, each once', (t) => {
  const numbers = new Map<string, number>()
  for (const [, id = '', group = '', number] of read('src/core/SPEC.md').matchAll(rule)) {
    t.ok(Number(number) > (numbers.get(group) ?? 0), id)
    numbers.set(group, Number(number))
  }
  t.strictSame([...numbers.keys()], ['GPU', 'POD', 'POL', 'USE', 'EST', 'SHA', 'RULE', 'DEC', 'PAT', 'BACK'])
  t.end()
})

t.test('every rule that a test quotes is written down', (t) => {
  const known = new Set([...read('src/core/SPEC.md').matchAll(rule)].map(([, id]) => id))
  for (const path of filesBelow('test', '.test.ts')) {
    for (const [, ids = ''] of read(path).matchAll(
      /'((?:\[(?:GPU|POD|POL|SHA|RULE|DEC|PAT|BACK)\d+\] ?)+)/g
    )) {
      for (const [id] of ids.matchAll(/[A-Z]+\d+/g)) t.ok(known.has(id), `${path}: ${id}`)
    }
  }
  t.end()
})
