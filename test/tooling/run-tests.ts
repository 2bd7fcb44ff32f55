import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { addCounts, type Counts, type FileResult, TapReader } from './tap-lines.ts'

/** `npm test [-- FILE…]`: runs tap, prints a line for each file and the output of those that fail, and counts. */
const BED = /(^|\/)(e2e\/|bed\/bed\.test|[^/]*\.bed\.test)/

const child = spawn('tap', ['--reporter=tap', ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'inherit']
})
const ended = once(child, 'close')
const reader = new TapReader()
const files: FileResult[] = []

for await (const line of createInterface({ input: child.stdout })) {
  const result = reader.read(line)
  if (result === undefined) continue
  files.push(result)
  const { file, ok, counts, output } = result
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${file} (${tell(counts)})`)
  if (!ok) console.log(output.join('\n'))
}
const [code] = await ended

const all = total(files)
const onBed = total(files.filter(({ file }) => BED.test(file)))
console.log(`\n${files.length} files; on the real control plane: ${tell(onBed)}`)
console.log(tell(all))
process.exitCode = code === 0 && all.failed === 0 && all.passed > 0 ? 0 : 1

function total(results: readonly FileResult[]): Counts {
  return results.reduce((sum, { counts }) => addCounts(sum, counts), { passed: 0, failed: 0, skipped: 0 })
}

function tell({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}
