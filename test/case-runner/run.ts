import { readCases } from './case-file.ts'
import { judge, type Verdict } from './judge.ts'

const usage = `Usage: npm run cases -- DIR [--json]

Runs every case file (*.yaml) of DIR through the engine and prints per case: id, wanted, got, reason and the pod's final
GPU resources. Kinds that later work makes right are listed by name. Exits 1 when an answer differs from its case, 2 when
DIR or a file cannot be read.`

const [directory, ...flags] = process.argv.slice(2)
if (directory === undefined || directory === '--help' || flags.includes('--help')) {
  console.log(usage)
  process.exit(directory === undefined ? 2 : 0)
}

function row(verdict: Verdict): string {
  const { id, kind, result, wanted, got, reasons, resources, remarks } = verdict
  const head = [
    result.padEnd(5),
    id.padEnd(6),
    kind,
    wanted.padEnd(16),
    got.padEnd(16),
    reasons.padEnd(24),
    resources
  ]
  return [head.join('  ').trimEnd(), ...remarks.map((remark) => `         ${remark}`)].join('\n')
}

try {
  const verdicts = readCases(directory).flatMap(judge)
  const count = (result: Verdict['result']): number =>
    verdicts.filter((verdict) => verdict.result === result).length
  if (flags.includes('--json')) console.log(JSON.stringify(verdicts, null, 2))
  else for (const verdict of verdicts) console.log(row(verdict))
  if (verdicts.length === 0) throw new Error(`${directory} holds no case file`)
  console.error(`${count('right')} right, ${count('wrong')} wrong, ${count('later')} later`)
  process.exitCode = count('wrong') > 0 ? 1 : 0
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : String(fault))
  process.exitCode = 2
}
