import { alignedTable } from '../table.ts'
import type { ExplanationDocument } from './explain-document.ts'
import { outcomeOf } from './render-head.ts'

const columns = ['WORKLOAD', 'PODS', 'HAVE', 'A NEW POD', 'REASON']

/** The workloads of a namespace, one line each, and how to see one whole. */
export function renderList(namespace: string, documents: readonly ExplanationDocument[]): string {
  const [first] = documents
  if (first === undefined) return `No living pod of namespace ${namespace} asks for GPUs.\n`
  const rows = documents.map((document) => [
    nameOf(document),
    ...havingOf(document),
    outcomeOf(document),
    document.reason
  ])
  const next = `See one whole: rightslice explain ${nameOf(first)} -n ${namespace}`
  return `${[...alignedTable(columns, rows), '', next].join('\n')}\n`
}

/** How many pods there are, and what they have; a bare pod is one, and no sibling of its own. */
function havingOf({ subject, pods, written, containers }: ExplanationDocument): readonly [string, string] {
  if (subject.kind === 'Pod') {
    const asked = containers.flatMap(({ asksFor }) =>
      Object.entries(asksFor).map(([name, count]) => `${name}: ${count}`)
    )
    return ['1', written?.share ?? asked.join(', ')]
  }
  const total = pods.reduce((sum, group) => sum + group.pods, 0)
  const [only] = pods.length === 1 ? pods : []
  return [String(total), only?.has ?? pods.map((group) => `${group.pods}x ${group.has}`).join(', ')]
}

function nameOf({ subject: { kind, name } }: ExplanationDocument): string {
  return `${kind.toLowerCase()}/${name}`
}
