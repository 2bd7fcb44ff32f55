import t from 'tap'
import { KubeError } from '../../src/kube/kube-error.ts'
import { workloadReader } from '../../src/kube/workload-reader.ts'

/** A connection whose every answer is `body`, or a refusal with `status`; it notes the paths. */
function aConnection(answer: { readonly body?: unknown; readonly status?: number }) {
  const paths: string[] = []
  const request = async ({ method, path }: { method: string; path: string }) => {
    paths.push(`${method} ${path}`)
    const { status } = answer
    if (status !== undefined) throw new KubeError({ method, path, status, message: 'no' })
    return { status: 200, headers: {}, body: (async function* () {})(), json: async () => answer.body }
  }
  return { paths, reader: workloadReader({ request }, new AbortController().signal) }
}

const kinds = [
  { type: 'pod', path: '/api/v1/namespaces/team-a/pods/x%2Fy', kind: 'Pod' },
  { type: 'deployment', path: '/apis/apps/v1/namespaces/team-a/deployments/x%2Fy', kind: 'Deployment' },
  { type: 'cronjob', path: '/apis/batch/v1/namespaces/team-a/cronjobs/x%2Fy', kind: 'CronJob' }
]

for (const { type, path, kind } of kinds) {
  t.test(`a ${type} is read by its path, and has its kind`, async (t) => {
    const { reader, paths } = aConnection({ body: { metadata: { name: 'x' } } })

    t.strictSame(await reader.read(type, 'team-a', 'x/y'), { kind, metadata: { name: 'x' } })
    t.strictSame(paths, [`GET ${path}`])
  })
}

t.test('a kind that is not read is asked for nowhere', async (t) => {
  const { reader, paths } = aConnection({ body: {} })

  t.equal(await reader.read('constructor', 'team-a', 'x'), undefined)
  t.strictSame(paths, [])
})

for (const status of [403, 404]) {
  t.test(`with status ${status} there is nothing to see`, async (t) => {
    t.equal(await aConnection({ status }).reader.read('job', 'team-a', 'x'), undefined)
  })
}

t.test('another refusal is a fault', async (t) => {
  await t.rejects(aConnection({ status: 500 }).reader.read('job', 'team-a', 'x'), {
    code: 'KUBE_UNAVAILABLE'
  })
})
