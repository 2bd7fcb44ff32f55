import t from 'tap'
import { runAudit, wantedNamespace } from '../../src/cli/run-audit.ts'
import { AppError } from '../../src/core/errors.ts'
import type { JsonRecord } from '../../src/core/json.ts'
import type { WantedPages } from '../../src/ports/page-reader.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aHostVolume, aMountingPod } from '../build/sweep.ts'
import { MemoryPages } from '../fakes/memory-pages.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')

function aNamespace(name: string, level: string): JsonRecord {
  return { metadata: { name, labels: { 'rightslice.dev/rightsize': level } } }
}

const cluster = {
  namespaces: [aNamespace('team-a', 'enforce'), aNamespace('team-b', 'warn'), aNamespace('out', 'off')],
  gpupolicies: [aRawPolicy()],
  pods: [
    aMountingPod('team-a', 'bad', { hostPath: { path: '/dev' } }),
    aMountingPod('team-a', 'claims', { persistentVolumeClaim: { claimName: 'dev' } }),
    aMountingPod('team-a', 'good', { emptyDir: {} }),
    aMountingPod('team-b', 'told', { hostPath: { path: '/dev' } }),
    aMountingPod('out', 'unseen', { hostPath: { path: '/dev' } })
  ],
  persistentvolumes: [aHostVolume('team-a', 'dev', '/dev')]
}

async function audit(
  change: Partial<Parameters<typeof runAudit>[0]> = {},
  before?: (wanted: WantedPages) => void
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const texts = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      texts[name] += text
      return true
    }
  })
  const reader = new MemoryPages(cluster)
  reader.before = before
  const code = await runAudit({
    reader,
    settings: { systemNamespaces: ['kube-*'], schedulers: ['default-scheduler'] },
    output: 'table',
    nowMs: NOW_MS,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    signal: new AbortController().signal,
    ...change
  })
  return { code, ...texts }
}

function refusing(...kinds: readonly string[]): (wanted: WantedPages) => void {
  return ({ kind, namespace }) => {
    if (kinds.includes(namespace === undefined ? kind : `${kind} ${namespace}`))
      throw new AppError('KUBE_REFUSED', `GET ${kind}: status 403: no`)
  }
}

t.test('what is wrong stands in a table, the level beside it', async (t) => {
  const { code, stdout, stderr } = await audit()

  const lines = stdout.split('\n')
  t.equal(code, 0)
  t.equal(stderr, '')
  t.match(lines[0], /^NAMESPACE +WORKLOAD +PODS +LEVEL +RULE +WHAT$/)
  t.match(
    lines[1],
    /^team-a +Pod\/bad +bad +enforce +HostDevicePath +container "main" mounts volume "data" \("\/dev"\)/
  )
  t.match(
    lines[2],
    /^team-a +Pod\/claims +claims +enforce +HostDevicePath +.*claim "dev" of "hostPath" "\/dev"/
  )
  t.match(lines[3], /^team-b +Pod\/told +told +warn +HostDevicePath/)
  t.equal(lines[4], '3 of 4 pods in 2 namespaces break isolation, 0 were never reviewed.')
})

t.test('--fail-on violations gives exit code 4 where a pod breaks a rule', async (t) => {
  t.equal((await audit({ failOn: 'violations' })).code, 4)
  t.equal((await audit({ failOn: 'violations', namespace: 'out' })).code, 0)
})

t.test('as JSON it is a versioned document', async (t) => {
  const { stdout } = await audit({ output: 'json', namespace: 'team-b' })

  t.strictSame(JSON.parse(stdout), {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'ViolationList',
    generatedAt: '2026-11-20T12:00:00.000Z',
    complete: true,
    summary: { namespaces: 1, pods: 1, violatingPods: 1, unreviewedPods: 0, podsLeftOut: 0 },
    items: [
      {
        namespace: 'team-b',
        workload: { kind: 'Pod', name: 'told' },
        pods: { count: 1, names: ['told'] },
        policy: 'standard',
        level: 'warn',
        code: 'HostDevicePath',
        message: JSON.parse(stdout).items[0].message
      }
    ],
    notRead: []
  })
})

t.test('as Markdown it is a table', async (t) => {
  const { stdout } = await audit({ output: 'markdown', namespace: 'team-b' })

  t.match(
    stdout,
    /^\| NAMESPACE \| .*\n\| --- \| .*\n\| team-b \| Pod\/told \| told \| warn \| HostDevicePath \| .*\n\n1 of 1/
  )
})

for (const { refused, told } of [
  {
    refused: 'pods team-a',
    told: /warning: pods of team-a cannot be read, so its pods were not looked at: GET pods: status 403/
  },
  {
    refused: 'persistentvolumes',
    told: /persistentvolumes cannot be read, so what claims lead to was not looked at/
  },
  { refused: 'gpupolicies', told: /levels of policies are not known/ },
  { refused: 'nodes', told: /pods without a review are not told/ }
]) {
  t.test(`what may not be read is told, and the exit code says so: ${refused}`, async (t) => {
    const { code, stdout, stderr } = await audit({ failOn: 'violations' }, refusing(refused))

    t.equal(code, 3)
    t.match(stderr, told)
    t.match(stdout, /told +warn/, 'what was read is printed')
    t.match(stdout, /Not everything could be read, so there may be more\.\n$/)
  })
}

t.test('without a right to list namespaces, one may be named', async (t) => {
  const before = ({ kind, name }: WantedPages) => {
    if (kind === 'namespaces' && name === undefined) throw new AppError('KUBE_REFUSED', 'no')
  }

  await t.rejects(audit({}, before), { code: 'KUBE_REFUSED' })
  t.match((await audit({ namespace: 'team-b' }, before)).stdout, /^team-b /m)
})

t.test(
  'a namespace that is not looked at is told, and one that does not exist is a wrong argument',
  async (t) => {
    t.match((await audit({ namespace: 'out' })).stderr, /namespace out is not looked at/)
    await t.rejects(audit({ namespace: 'gone' }), { code: 'USAGE_WRONG' })
  }
)

t.test('a cluster that cannot be reached ends it, and is no empty answer', async (t) => {
  const before = ({ kind }: WantedPages) => {
    if (kind === 'pods') throw new AppError('KUBE_UNREACHABLE', 'no answer')
  }

  await t.rejects(audit({}, before), { code: 'KUBE_UNREACHABLE' })
})

t.test('-n and -A exclude each other', async (t) => {
  t.equal(wantedNamespace({ namespace: 'team-a' }), 'team-a')
  t.equal(wantedNamespace({ allNamespaces: true }), undefined)
  t.throws(() => wantedNamespace({ namespace: 'team-a', allNamespaces: true }), { code: 'USAGE_WRONG' })
})
