import { spawn } from 'node:child_process'

/** What a kubectl call printed and its exit code. */
export type KubectlResult = { readonly stdout: string; readonly stderr: string; readonly code: number }

/** A kubectl call. */
type KubectlCall = {
  readonly file: string
  readonly args: readonly string[]
  readonly kubeconfig: string
  /** Folder for its discovery cache, so that it neither reads nor writes the user's. */
  readonly cacheDirectory: string
  /** Standard input, for `-f -`. */
  readonly input?: string | undefined
}

const TIMEOUT_MS = 60_000

/**
 * Runs kubectl to its end; a failing call is a result with its code, not an error.
 * @throws Error when it cannot be started
 */
export function runKubectl({
  file,
  args,
  kubeconfig,
  cacheDirectory,
  input
}: KubectlCall): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [`--kubeconfig=${kubeconfig}`, ...args], {
      env: { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: cacheDirectory },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL'
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ stdout, stderr, code: code ?? 1 }))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
  })
}
