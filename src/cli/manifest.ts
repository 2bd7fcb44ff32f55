import { writeFile } from 'node:fs/promises'
import { objectYaml } from '../install/object-yaml.ts'
import type { TextSink } from './convert.ts'

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
