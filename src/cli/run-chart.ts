import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringOf } from '../core/json.ts'
import { chartFiles } from '../install/chart/chart-files.ts'
import { readSources } from '../install/sources.ts'

/** Files of the Helm chart of this version, by their paths in its folder. */
export async function readChart(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return chartFiles(await readSources(), stringOf(JSON.parse(text), 'version') ?? '')
}

/** `rightslice chart --out DIRECTORY`: writes the Helm chart. */
export async function runChart(directory: string): Promise<void> {
  for (const [path, text] of await readChart()) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
