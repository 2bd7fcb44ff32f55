import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeCertificates } from '../src/tls/make-certificates.ts'

const usage = `usage: node certs/make.ts [options]

Writes ca.crt, tls.crt and tls.key. The authority's key is thrown away: to renew, run it again and install all three.

  --out DIR         folder to write into (default: certs)
  --service NAME    Service that the API server calls (default: rightslice)
  --namespace NAME  namespace of the Service (default: rightslice-system)
  --days N          days until the certificates end (default: 365)
  --ip ADDRESS      address that the server may be called by; may be given several times (default: none)
  --help            this text
`

const options = {
  out: { type: 'string', default: 'certs' },
  service: { type: 'string', default: 'rightslice' },
  namespace: { type: 'string', default: 'rightslice-system' },
  days: { type: 'string', default: '365' },
  ip: { type: 'string', multiple: true },
  help: { type: 'boolean', default: false }
} as const

async function main(): Promise<number> {
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const validDays = Number(values.days)
  if (!Number.isInteger(validDays) || validDays < 1) {
    console.error(`--days must be a whole number of days, at least 1 (is "${values.days}")\n\n${usage}`)
    return 2
  }
  const { service, namespace, out, ip = [] } = values
  const made = await makeCertificates({ service, namespace, ipAddresses: ip, nowMs: Date.now(), validDays })
  const files = { 'ca.crt': made.caPem, 'tls.crt': made.certPem, 'tls.key': made.keyPem }
  await mkdir(out, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    const file = join(out, name)
    await writeFile(file, content, { mode: 0o600 })
    await chmod(file, name.endsWith('.key') ? 0o600 : 0o644) // also where the file was there before
    console.log(`wrote ${file}`)
  }
  return 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 2
}
