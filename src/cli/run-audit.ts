import type { DecisionSettings } from '../core/decision/decision.ts'
import { AppError } from '../core/errors.ts'
import { readScope } from '../gather/sweep/read-scope.ts'
import { sweepCluster } from '../gather/sweep/sweep-cluster.ts'
import type { PageReader } from '../ports/page-reader.ts'
import type { TextSink } from './convert.ts'
import {
  type Audit,
  isComplete,
  renderViolations,
  renderViolationsMarkdown,
  summarizeAudit,
  violationsJson
} from './render-violations.ts'

/** What `rightslice audit` works with. */
export interface AuditCommand {
  readonly reader: PageReader
  readonly settings: DecisionSettings
  /** Only this namespace; absent: all that opted in. */
  readonly namespace?: string | undefined
  readonly output: 'table' | 'json' | 'markdown'
  readonly failOn?: 'violations' | undefined
  readonly nowMs: number
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly signal: AbortSignal
}

/** Exit codes: not everything could be read; `--fail-on` names what was found. */
const IN_PART = 3
const FOUND = 4

/**
 * Prints which pods that run break isolation, and which came without a review.
 * @returns the exit code; that the answer is partial counts before what was found
 * @throws AppError KUBE_UNREACHABLE, KUBE_REFUSED when nothing can be read; USAGE_WRONG for a namespace that does not exist
 */
export async function runAudit(command: AuditCommand): Promise<number> {
  const { reader, namespace, failOn, stdout, stderr, signal } = command
  const { scope, faults } = await readScope(reader, command, signal)
  if (namespace !== undefined && scope.namespaces.length === 0)
    stderr.write(`namespace ${namespace} is not looked at: it has not opted in, or is one of the system\n`)
  const swept = await sweepCluster(reader, scope, signal)
  const unreachable = swept.faults.find(({ error }) => error.code === 'KUBE_UNREACHABLE')
  if (unreachable !== undefined) throw unreachable.error
  const audit = { namespaces: swept.namespaces, faults: [...faults, ...swept.faults] }
  stdout.write(printed(audit, command))
  tellFaults(audit, stderr)
  if (!isComplete(audit)) return IN_PART
  return failOn === 'violations' && summarizeAudit(audit).violatingPods > 0 ? FOUND : 0
}

function printed(audit: Audit, { output, nowMs }: Pick<AuditCommand, 'output' | 'nowMs'>): string {
  switch (output) {
    case 'json': {
      const generatedAt = new Date(nowMs).toISOString()
      return `${JSON.stringify(violationsJson(audit, { generatedAt }), null, 2)}\n`
    }
    case 'markdown':
      return renderViolationsMarkdown(audit)
    case 'table':
      return renderViolations(audit)
  }
}

const consequences: Readonly<Record<Audit['faults'][number]['what'], string>> = {
  namespaces: 'no pod was looked at',
  gpuexemptions: 'what they lift is told as a violation',
  gpupolicies: 'levels of policies are not known, and those of labels and defaults count',
  nodes: 'pods without a review are not told',
  pods: 'its pods were not looked at',
  persistentvolumes: 'what claims lead to was not looked at'
}

function tellFaults({ faults }: Audit, stderr: TextSink): void {
  for (const { what, namespace, error } of faults) {
    const where = namespace === undefined ? what : `${what} of ${namespace}`
    stderr.write(`warning: ${where} cannot be read, so ${consequences[what]}: ${error.message}\n`)
  }
}

/**
 * The namespace that `-n` and `-A` ask for; undefined for all.
 * @throws AppError USAGE_WRONG when both are given
 */
export function wantedNamespace(options: {
  readonly namespace?: string
  readonly allNamespaces?: boolean
}): string | undefined {
  if (options.namespace !== undefined && options.allNamespaces === true)
    throw new AppError('USAGE_WRONG', '--namespace and --all-namespaces exclude each other')
  return options.namespace
}
