import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { toCustomResourceDefinitions } from '../core/api/crd.ts'
import type { TextSink } from './convert.ts'

const HEADER = '# Made from the schemas in src/core/api by "npm run crd"; change these, not this file.\n'

/** kubectl reads YAML 1.1, where a bare `Off` is the boolean false: such words must be quoted. */
const style = { schema: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const

/** The manifest of all custom resources, as YAML; the same on every call. */
export function crdYaml(): string {
  const documents = toCustomResourceDefinitions().map((definition) => stringify(definition, style))
  return HEADER + documents.join('---\n')
}

/** What `rightslice crd` works with. */
export interface CrdCommand {
  /** File to write; absent: stdout. */
  readonly out?: string
  readonly stdout: TextSink
}

/** `rightslice crd [--out FILE]`: prints the custom resource definitions, or writes them to a file. */
export async function runCrd({ out, stdout }: CrdCommand): Promise<void> {
  if (out === undefined) {
    stdout.write(crdYaml())
    return
  }
  await writeFile(out, crdYaml())
}
