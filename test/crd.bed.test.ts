import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { convertDocument } from '../src/cli/convert.ts'
import { MERGE_PATCH } from './bed/api-client.ts'
import { bedTest } from './bed/bed-test.ts'
import { createNamespace } from './bed/namespace.ts'
import type { Bed } from './bed/start-bed.ts'
import { wrongPolicies, wrongStatuses, wrongWorkloads } from './fixtures/policies/wrong.ts'

const apiVersion = 'rightslice.dev/v1alpha1'
const policies = '/apis/rightslice.dev/v1alpha1/gpupolicies'
const workloads = '/apis/rightslice.dev/v1alpha1/namespaces/search/gpuworkloads'
const strict = '?fieldValidation=Strict'

function fixture(name: string): Promise<string> {
  return readFile(new URL(`fixtures/policies/${name}`, import.meta.url), 'utf8')
}

async function installCrds(bed: Bed): Promise<void> {
  const manifest = fileURLToPath(new URL('../manifests/base/crd.yaml', import.meta.url))
  for (const args of [
    ['apply', '-f', manifest],
    ['wait', '--for=condition=Established', '--timeout=30s', '-f', manifest]
  ]) {
    const { code, stderr } = await bed.kubectl(args)
    if (code !== 0) throw new Error(stderr)
  }
}

/** Message of the API server, and whether it refused as "invalid" or "bad request". */
async function refusal(
  bed: Bed,
  ...call: readonly ['POST' | 'PATCH', string, object, string?]
): Promise<{ refused: boolean; message: string }> {
  const { status, body } = await bed.request(...call)
  const { message = '' } = body as { message?: string }
  return { refused: status === 422 || status === 400, message: String(message) }
}

await bedTest(
  t,
  'the custom resources on a real API server',
  async (t, { bed }) => {
    await installCrds(bed)
    await createNamespace(bed, 'search')

    await t.test('accepts every valid object through kubectl, with strict validation', async (t) => {
      const converted = convertDocument(await fixture('dc1-mig.yaml')).text
      const files = [
        'dc1-sharing.yaml',
        'dc1-strict-windows.yaml',
        'every-field.yaml',
        'deployment-reranker.yaml'
      ]
      const texts = [converted, ...(await Promise.all(files.map(fixture)))]

      for (const input of texts) {
        const { code, stderr } = await bed.kubectl(['apply', '--validate=strict', '-f', '-'], { input })
        t.equal(code, 0, stderr)
        t.equal(stderr, '')
      }
    })

    await t.test('fills in the defaults of the schema', async (t) => {
      const { body } = await bed.request('GET', `${policies}/dc1-strict-windows`)

      const { spec } = body as { spec: Record<string, unknown> }
      t.match(spec, { kind: 'Sharing', mode: 'Automatic', suspend: false, priority: 0 })
    })

    await t.test('keeps the status of a workload and shows it in columns', async (t) => {
      const { status } = parse(await fixture('deployment-reranker.yaml')) as { status: object }

      const patched = await bed.request(
        'PATCH',
        `${workloads}/deployment-reranker/status${strict}`,
        { status },
        MERGE_PATCH
      )
      const table = await bed.kubectl(['get', 'gpuw', '-n', 'search', '-o', 'wide'])

      t.equal(patched.status, 200, JSON.stringify(patched.body))
      t.match(
        table.stdout,
        /KIND +WORKLOAD +PEAK-MEM +PEAK-SM +NOW +FITS +DECISION +AGE +REASON +HISTORY +POLICY/
      )
      t.match(
        table.stdout,
        /Deployment +reranker +3686Mi +21% +nvidia.com\/mig-1g.5gb +WaitingForRepartition/
      )
    })

    await t.test('shows policies in columns, and all kinds by the category', async (t) => {
      const table = await bed.kubectl(['get', 'gpup', '-o', 'wide'])
      const all = await bed.kubectl(['get', 'rightslice', '-A', '-o', 'name'])

      t.match(
        table.stdout,
        /MODE +ADMISSION +NODES +CANDIDATES +FREEABLE +WINDOW +READY +AGE +NEXT-WINDOW +REASON/
      )
      t.match(table.stdout, /dc1-mig +Approve +Sat 02:00-06:00 UTC/)
      t.match(
        all.stdout,
        /gpupolicy.rightslice.dev\/dc1-mig[^]*gpuworkload.rightslice.dev\/deployment-reranker/
      )
    })

    await t.test('refuses a bare fraction as headroom and names the field', async (t) => {
      const object = {
        apiVersion,
        kind: 'GpuPolicy',
        metadata: { name: 'x' },
        spec: { mig: { headroom: 0.2 } }
      }

      const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) })

      t.not(code, 0)
      t.match(stderr, /spec\.mig\.headroom/)
    })

    for (const { name, spec, field, byServer = true } of wrongPolicies) {
      await t.test(`policy, ${name}: ${byServer ? 'refused' : 'left to the core'}`, async (t) => {
        const object = { apiVersion, kind: 'GpuPolicy', metadata: { name: 'wrong' }, spec }

        const { refused, message } = await refusal(bed, 'POST', `${policies}${strict}&dryRun=All`, object)

        t.equal(refused, byServer, message)
        if (byServer) t.ok(message.includes(field), message)
      })
    }

    for (const { name, body, field } of wrongWorkloads) {
      await t.test(`workload, ${name}: refused`, async (t) => {
        const object = { apiVersion, kind: 'GpuWorkload', metadata: { name: 'wrong' }, ...body }

        const { refused, message } = await refusal(bed, 'POST', `${workloads}${strict}&dryRun=All`, object)

        t.ok(refused, message)
        t.ok(message.includes(field), message)
      })
    }

    for (const { name, status, field } of wrongStatuses) {
      await t.test(`status of a workload, ${name}: refused`, async (t) => {
        const path = `${workloads}/deployment-reranker/status${strict}&dryRun=All`

        const { refused, message } = await refusal(bed, 'PATCH', path, { status }, MERGE_PATCH)

        t.ok(refused, message)
        t.ok(message.includes(field), message)
      })
    }
  },
  { startScheduler: false, startControllerManager: false }
)
