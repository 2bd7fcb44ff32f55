import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import type { TextSink } from './convert.ts'

/** kubectl reads YAML 1.1, where a bare `Off` is the boolean false: such words must be quoted. */
const style = { schema: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const

/** One object as YAML that kubectl reads the same way. */
export function objectYaml(object: object): string {
  return stringify(object, style)
}

/** Objects as one YAML file, below a comment that says where they come from. */
export function manifestYaml(comment: string, objects: readonly object[]): string {
  return `# ${comment}\n${objects.map(objectYaml).join('---\n')}`
}

/** Where a command puts a manifest. */
export interface ManifestTarget {
  /** File to write; absent: stdout. */
  readonly out?: string
  readonly stdout: TextSink
}

/** Prints a manifest, or writes it to a file. */
export async function putManifest(yaml: string, { out, stdout }: ManifestTarget): Promise<void> {
  if (out === undefined) stdout.write(yaml)
  else await writeFile(out, yaml)
}
