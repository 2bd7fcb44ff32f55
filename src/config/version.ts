import { readFile } from 'node:fs/promises'
import { fieldOf } from '../core/json.ts'

/** Version of the product, such as `0.1.0`, as its package says. */
export async function packageVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return String(fieldOf(JSON.parse(text), 'version'))
}
