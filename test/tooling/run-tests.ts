import { runTap, tellCounts, tellFile, totalOf } from './run-tap.ts'

/** `npm test [-- FILE…]`: runs tap, prints a line for each file and the output of those that fail, and counts. */
const BED = /(^|\/)(e2e\/|bed\/bed\.test|[^/]*\.bed\.test)/

const { code, files } = await runTap(process.argv.slice(2), (result) => console.log(tellFile(result)))

const all = totalOf(files)
const onBed = totalOf(files.filter(({ file }) => BED.test(file)))
console.log(`\n${files.length} files; on the real control plane: ${tellCounts(onBed)}`)
console.log(tellCounts(all))
process.exitCode = code === 0 && all.failed === 0 && all.passed > 0 ? 0 : 1
