import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** `npm run audit`: known advisories for what a production install brings, where the registry serves them. */
const run = promisify(execFile)

interface AuditFailure {
  readonly code?: number | string
  readonly stdout?: string
}

async function audit(): Promise<{
  readonly served: boolean
  readonly found: boolean
  readonly text: string
}> {
  try {
    const { stdout } = await run('npm', ['audit', '--omit=dev'])
    return { served: true, found: false, text: stdout }
  } catch (fault) {
    const { stdout = '' } = fault as AuditFailure
    return { served: stdout.includes('vulnerabilit'), found: true, text: stdout }
  }
}

const { served, found, text } = await audit()
if (!served) {
  console.log('advisories: not checked, the registry in use does not serve them')
} else {
  console.log(text.trim())
  process.exitCode = found ? 1 : 0
}
