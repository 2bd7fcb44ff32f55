import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { packageVersion } from '../config/version.ts'
import { chartFiles } from '../install/chart/chart-files.ts'
import { readSources } from '../install/sources.ts'

/** Files of the Helm chart of this version, by their paths in its folder. */
export async function readChart(): Promise<ReadonlyMap<string, string>> {
  return chartFiles(await readSources(), await packageVersion())
}

/** `rightslice chart --out DIRECTORY`: writes the Helm chart. */
export async function runChart(directory: string): Promise<void> {
  for (const [path, text] of await readChart()) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
