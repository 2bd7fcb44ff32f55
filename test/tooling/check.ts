import { spawn } from 'node:child_process'

interface Tool {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

/** Everything that `npm run check` runs, one after the other, so that output stays readable. */
const tools: readonly Tool[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--quiet'] },
  { name: 'format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'imports', command: ['depcruise', 'src', 'test', '--output-type', 'err-long'] },
  { name: 'unused', command: ['knip'] }
]

function run({ name, command: [program, ...args] }: Tool): Promise<boolean> {
  const startMs = performance.now()
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    child.on('error', (fault) => output.push(Buffer.from(`${fault.message}\n`)))
    child.on('close', (code) => {
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
      console.log(`${code === 0 ? 'ok    ' : 'failed'} ${name} (${seconds} s)`)
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })
}

const results: boolean[] = []
for (const tool of tools) results.push(await run(tool))
process.exitCode = results.every(Boolean) ? 0 : 1
