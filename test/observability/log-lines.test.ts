import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { aReview, someWebhook } from '../server/some-webhook.ts'

/*
 * Every log line of the project, read from its source: people search for messages and build alerts on fields, so a message is one
 * text, and what varies stands in fields that hold single values.
 */
const source = fileURLToPath(new URL('../../src/', import.meta.url))

/** One call of a log. */
interface LogCall {
  readonly place: string
  readonly message: ts.Expression | undefined
  readonly fields: readonly string[]
}

const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
const calls = files.flatMap(callsIn)

function callsIn(file: string): readonly LogCall[] {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true)
  const found: LogCall[] = []
  const visit = (node: ts.Node): void => {
    const call = logCallAt(node)
    if (call !== undefined) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart())
      found.push({ ...call, place: `${relative(source, file)}:${line + 1}` })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** `log.info(…)`, `this.#log.warn(…)`, `parts.log.error(…)`. */
function logCallAt(node: ts.Node): Omit<LogCall, 'place'> | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  const { name, expression } = node.expression
  if (!/^(debug|info|warn|error)$/.test(name.text) || !/(^|[.#])log$/.test(expression.getText()))
    return undefined
  const [fields, message] = node.arguments
  return {
    message,
    fields: fields !== undefined && ts.isObjectLiteralExpression(fields) ? namesOf(fields) : []
  }
}

function namesOf(fields: ts.ObjectLiteralExpression): readonly string[] {
  return fields.properties.flatMap((property) =>
    property.name === undefined ? [] : [property.name.getText()]
  )
}

/** Handed on by one function that several messages go through. */
const handedOn = 'message'

t.test('there are log lines to look at', async (t) => {
  t.ok(calls.length > 50, `${calls.length} calls`)
})

for (const { place, message, fields } of calls) {
  t.test(`the line at ${place} has a constant message, and single values in its fields`, async (t) => {
    if (message?.getText() !== handedOn) {
      t.ok(message !== undefined && ts.isStringLiteral(message), 'the message is one text')
      t.match(message?.getText(), /^'[a-z][\w ,-]{2,70}'$/, 'short, lower case, no full stop')
    }
    for (const field of fields) {
      t.match(field, /^[a-z][A-Za-z]*$/)
      t.notMatch(
        field,
        /^(error|object|body|request|headers|env|pods?Spec|secret|token|password|cert|key|raw)$/i
      )
    }
  })
}

t.test('what a sender writes is cut and cleaned before it gets into the log', async (t) => {
  const webhook = someWebhook()
  const name = `a\u001b[31m${'b'.repeat(100_000)}`
  const payload = aReview({ uid: 'u\n1', operation: 'CREATE', object: { metadata: { name } } })
  const headers = { 'content-type': 'application/json' }

  for (const url of ['/rewrite', '/isolation', '/advice']) {
    await webhook.app.inject({ method: 'POST', url, headers, payload })
  }

  t.equal(webhook.log.lines.length, 3)
  for (const { fields } of webhook.log.lines) {
    const line = JSON.stringify(fields)
    t.ok(line.length < 2_000, `${line.length} characters`)
    t.match(line, 'team-a/a?[31mbbb')
    t.match(fields, { uid: 'u?1' })
  }
})
