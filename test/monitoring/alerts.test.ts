import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { fieldAt, fieldOf, listOf, stringMapOf, stringOf } from '../../src/core/json.ts'
import { metricTable } from '../../src/observability/metrics.ts'
import { prometheusTest } from '../bed/prometheus.ts'
import { absentCases, alertCases } from './alert-cases.ts'

const run = promisify(execFile)
const folder = new URL('../../manifests/monitoring/', import.meta.url)
const plainFile = new URL('alert-rules.yaml', folder)
const head =
  '# Rules for a Prometheus without the operator; the groups of alerts.yaml. docs/alerts.md says what to do.\n'

const manifest: unknown = parse(readFileSync(new URL('alerts.yaml', folder), 'utf8'))
const groups = listOf(fieldOf(manifest, 'spec'), 'groups')
const rules = groups.flatMap((group) => listOf(group, 'rules'))
const names = rules.map((rule) => stringOf(rule, 'alert') ?? '')

/** `TAP_SNAPSHOT=1` writes the plain file anew from the manifest. */
if (process.env.TAP_SNAPSHOT === '1')
  writeFileSync(plainFile, `${head}${stringify({ groups }, { lineWidth: 0 })}`)

t.test('the plain rules are those of the manifest', async (t) => {
  t.strictSame(parse(readFileSync(plainFile, 'utf8')), { groups })
})

t.test('every alert has a severity, a summary, a description and a section of its page', async (t) => {
  const page = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8')
  const sections = [...page.matchAll(/^## (Rightslice\w+)$/gm)].map(([, name]) => name)

  for (const rule of rules) {
    const name = stringOf(rule, 'alert') ?? ''
    const { summary = '', description = '', runbook_url: runbook } = stringMapOf(rule, 'annotations')
    t.match(name, /^Rightslice[A-Z]\w+$/)
    t.match(stringMapOf(rule, 'labels')['severity'], /^(critical|warning|info)$/, name)
    t.match(summary, /^[A-Z][^{}]*\.$/, name)
    t.match(description, /\.$/, name)
    t.equal(runbook, `docs/alerts.md#${name.toLowerCase()}`)
  }
  t.strictSame(sections, names)
  t.equal(new Set(names).size, names.length)
})

t.test('rules name metrics of ours that exist, and of others only those of the API server', async (t) => {
  const named = rules.flatMap((rule) => stringOf(rule, 'expr')?.match(/\b(rightslice|apiserver)_\w+/g) ?? [])
  const known = [
    ...Object.keys(metricTable),
    'apiserver_admission_webhook_fail_open_count',
    'apiserver_admission_webhook_rejection_count'
  ]

  t.ok(named.length >= rules.length)
  for (const name of named) t.ok(known.includes(name.replace(/_bucket$/, '')), name)
})

t.test('every alert is tried, once each', async (t) => {
  t.strictSame(
    alertCases.map(({ alert }) => alert),
    names
  )
})

function annotationsOf(alert: string, description: string): unknown {
  const rule = rules.find((one) => fieldOf(one, 'alert') === alert)
  const { summary, runbook_url } = stringMapOf(rule, 'annotations')
  return { summary, description, runbook_url }
}

function severityOf(alert: string): unknown {
  return fieldAt(
    rules.find((one) => fieldOf(one, 'alert') === alert),
    'labels',
    'severity'
  )
}

function inputOf(series: Readonly<Record<string, string>>): unknown {
  return Object.entries(series).map(([name, values]) => ({ series: name, values }))
}

/** What promtool tries: text and labels of each alert, its silence, and the alerts of what is absent by name. */
function unitTests(): readonly unknown[] {
  const fire = alertCases.map(({ alert, fires: { series, at, labels, description } }) => ({
    input_series: inputOf(series),
    alert_rule_test: [
      {
        eval_time: at,
        alertname: alert,
        exp_alerts: [
          {
            exp_labels: { severity: severityOf(alert), ...labels },
            exp_annotations: annotationsOf(alert, description)
          }
        ]
      }
    ]
  }))
  const quiet = alertCases.map(({ alert, quiet: { series, at } }) => ({
    input_series: inputOf(series),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: [] }]
  }))
  const absent = absentCases.map(({ alert, series, at }) => ({
    input_series: inputOf(series),
    promql_expr_test: [
      {
        expr: `count by (alertname) (ALERTS{alertstate="firing",alertname="${alert}"})`,
        eval_time: at,
        exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }]
      }
    ]
  }))
  return [...fire, ...quiet, ...absent].map((test) => ({ interval: '1m', ...test }))
}

async function promtool(t: Test, file: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(file, [...args], { timeout: 120_000 }).then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout?: string; stderr?: string; code?: number }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? '',
      code: error.code ?? 1
    })
  )
  t.equal(code, 0, `${stdout}${stderr}`)
  return stdout
}

await prometheusTest(
  t,
  'promtool accepts the rules, and every alert comes and stays away',
  async (t, { promtool: file }) => {
    const directory = t.testdir({
      'tests.json': JSON.stringify({
        rule_files: [fileURLToPath(plainFile)],
        evaluation_interval: '1m',
        tests: unitTests()
      })
    })

    const checked = await promtool(t, file, [
      'check',
      'rules',
      '--lint=all',
      '--lint-fatal',
      fileURLToPath(plainFile)
    ])
    await promtool(t, file, ['test', 'rules', join(directory, 'tests.json')])

    t.match(checked, `SUCCESS: ${rules.length} rules found`)
  }
)
