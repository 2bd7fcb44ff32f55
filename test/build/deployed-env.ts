import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { fieldAt, listOf, stringOf } from '../../src/core/json.ts'

const files = { webhook: 'deployment.yaml', controller: 'controller-deployment.yaml' } as const

/** Variables that decide how a process uses memory. */
const ofMemory = /^(?:NODE_OPTIONS|MALLOC_.*)$/

/** What Node and its allocator are told in the cluster, by the manifest. */
export function deployedEnv(
  part: keyof typeof files
): Readonly<Record<string, string>> & { readonly NODE_OPTIONS: string } {
  const file = new URL(`../../manifests/base/${files[part]}`, import.meta.url)
  const containers = parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) =>
    listOf(fieldAt(document.toJS(), 'spec', 'template', 'spec'), 'containers')
  )
  const entries = containers
    .flatMap((container) => listOf(container, 'env'))
    .map((entry) => [stringOf(entry, 'name') ?? '', stringOf(entry, 'value') ?? ''] as const)
  const { NODE_OPTIONS = '', ...rest } = Object.fromEntries(entries.filter(([name]) => ofMemory.test(name)))
  if (NODE_OPTIONS === '') throw new Error(`the manifest of the ${part} has no NODE_OPTIONS`)
  return { ...rest, NODE_OPTIONS }
}
