import t from 'tap'
import { checkInstallation, worstOf } from '../../src/check/checks.ts'
import { AppError } from '../../src/core/errors.ts'
import { fieldAt, type JsonRecord, listOf } from '../../src/core/json.ts'
import { anAuthority } from '../build/authority.ts'
import { aDeviceClass, h100Parts, someClasses, someSlices } from '../build/devices.ts'
import { anInstallation, installed, type Parts, seen } from '../build/installation.ts'
import { aMigNode, aNode } from '../build/node.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aRawQuota } from '../build/quota.ts'

const nowMs = Date.UTC(2026, 10, 29)
const day = 86_400_000
const authority = await anAuthority({ notBeforeMs: nowMs - day, notAfterMs: nowMs + 364 * day })
const stranger = await anAuthority({ notBeforeMs: nowMs - day, notAfterMs: nowMs + 20 * day })
const ended = await anAuthority({ notBeforeMs: nowMs - 2 * day, notAfterMs: nowMs - day })
const { certPem } = authority

async function lines(changes: Partial<Parts> = {}): Promise<readonly string[]> {
  const findings = checkInstallation(await anInstallation(certPem, { nowMs, ...changes }))
  return findings.map(({ level, check, text }) => `${level} ${check}: ${text}`)
}

const well = await lines()

t.test('an installation in good order is told line by line', async (t) => {
  t.strictSame(well, [
    'ok cluster: Kubernetes v1.36.3',
    'ok customResources: gpupolicies.rightslice.dev and gpuworkloads.rightslice.dev are served',
    'ok replicas: rightslice-webhook: 3 of 3 replicas are ready',
    'ok replicas: rightslice-controller: 3 of 3 replicas are ready',
    'ok configurations: webhooks registered as shipped: 6',
    'ok certificates: authority is believed everywhere, valid for 364d, replaced from 2027-07-29',
    'ok reach: the API server reaches the webhook and believes it',
    'ok policies: GpuPolicy objects: 1 valid',
    'ok namespaces: namespaces that opted in: 1 enforce, 0 warn'
  ])
})

/** What is there when one webhook of all says something else. */
function changed(name: string, change: (webhook: JsonRecord) => JsonRecord): Parts['configuration'] {
  return (shipped) => {
    const object = installed(shipped, certPem)
    const webhooks = listOf(object, 'webhooks').map((webhook) =>
      Object(webhook).name === name ? change(Object(webhook)) : webhook
    )
    return seen({ ...object, webhooks })
  }
}

const without =
  (kind: 'absent' | 'forbidden', name: string): Parts['configuration'] =>
  (shipped) =>
    fieldAt(shipped, 'metadata', 'name') === name ? { kind } : seen(installed(shipped, certPem))

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const isolation = 'isolation.rightslice.dev'
const withBundle = (pem: string): Parts['configuration'] =>
  changed(isolation, (webhook) => ({
    ...webhook,
    clientConfig: { ...Object(webhook['clientConfig']), caBundle: base64(pem) }
  }))

for (const { name, given, want } of [
  {
    name: 'a cluster older than the oldest supported',
    given: { version: 'v1.33.9' },
    want: ['warn cluster: Kubernetes v1.33.9 is older than 1.34, the oldest supported']
  },
  {
    name: 'a cluster newer than the newest supported',
    given: { version: 'v1.37.0-gke.1' },
    want: ['warn cluster: Kubernetes v1.37.0-gke.1 is newer than 1.36, the newest supported']
  },
  {
    name: 'the oldest cluster that is supported, as a cloud names it',
    given: { version: 'v1.34.0-eks-3025e55' },
    want: ['ok cluster: Kubernetes v1.34.0-eks-3025e55']
  },
  {
    name: 'a version that says nothing',
    given: { version: '' },
    want: ['warn cluster: Kubernetes of unknown version is not supported']
  },
  {
    name: 'kinds that are missing',
    given: { customResource: { kind: 'absent' } },
    want: [
      'fail customResources: gpupolicies.rightslice.dev is not served',
      'fail customResources: gpuworkloads.rightslice.dev is not served'
    ]
  },
  {
    name: 'kinds that are not served yet',
    given: { customResource: seen({ status: { conditions: [] } }) },
    want: [
      'fail customResources: gpupolicies.rightslice.dev is not served',
      'fail customResources: gpuworkloads.rightslice.dev is not served'
    ]
  },
  {
    name: 'kinds that may not be read',
    given: { customResource: { kind: 'forbidden' } },
    want: ['info customResources: custom resource definitions may not be read']
  },
  {
    name: 'replicas that are not all ready',
    given: { deployment: seen({ spec: {}, status: { readyReplicas: 0 } }) },
    want: [
      'fail replicas: rightslice-webhook: 0 of 1 replicas are ready',
      'fail replicas: rightslice-controller: 0 of 1 replicas are ready'
    ]
  },
  {
    name: 'replicas of which some are ready',
    given: { deployment: seen({ spec: { replicas: 3 }, status: { readyReplicas: 1 } }) },
    want: [
      'warn replicas: rightslice-webhook: 1 of 3 replicas are ready',
      'warn replicas: rightslice-controller: 1 of 3 replicas are ready'
    ]
  },
  {
    name: 'no Deployments',
    given: { deployment: { kind: 'absent' } },
    want: [
      'fail replicas: Deployment rightslice-webhook is missing',
      'fail replicas: Deployment rightslice-controller is missing'
    ]
  },
  {
    name: 'Deployments that may not be read',
    given: { deployment: { kind: 'forbidden' } },
    want: [
      'info replicas: Deployment rightslice-webhook may not be read',
      'info replicas: Deployment rightslice-controller may not be read'
    ]
  },
  {
    name: 'no rewriting',
    given: { configuration: without('absent', 'zz-rightslice') },
    want: [
      'fail configurations: MutatingWebhookConfiguration zz-rightslice is missing: no pod is given a share'
    ]
  },
  {
    name: 'no isolation, which may be wanted',
    given: { configuration: without('absent', 'rightslice-isolation') },
    want: [
      'warn configurations: ValidatingWebhookConfiguration rightslice-isolation is missing: no pod that breaks isolation is refused'
    ]
  },
  {
    name: 'a configuration that may not be read',
    given: { configuration: without('forbidden', 'rightslice-isolation') },
    want: ['info configurations: ValidatingWebhookConfiguration rightslice-isolation may not be read']
  },
  {
    name: 'a webhook that fails open and is asked about less',
    given: {
      configuration: changed(isolation, (webhook) => ({
        ...webhook,
        failurePolicy: 'Ignore',
        timeoutSeconds: 30,
        namespaceSelector: { matchLabels: { team: 'a' } },
        objectSelector: { matchLabels: { team: 'a' } },
        clientConfig: { ...Object(webhook['clientConfig']), service: { name: 'other' } }
      }))
    },
    want: [
      'warn configurations: rightslice-isolation: isolation.rightslice.dev: failurePolicy is "Ignore", shipped is Fail, timeoutSeconds is "30", shipped is 3, namespaceSelector differs, clientConfig.service differs, objectSelector is set'
    ]
  },
  {
    name: 'a webhook that was taken out, and one of strangers',
    given: { configuration: changed(isolation, (webhook) => ({ ...webhook, name: 'evil\nname' })) },
    want: [
      'warn configurations: rightslice-isolation: isolation.rightslice.dev is missing',
      'warn configurations: rightslice-isolation: "evil?name" is not shipped'
    ]
  },
  {
    name: 'an empty bundle',
    given: { configuration: withBundle('') },
    want: [
      'fail certificates: caBundle of "isolation.rightslice.dev" holds no authority',
      'fail certificates: caBundle of "isolation.rightslice.dev" does not hold the authority that signs'
    ]
  },
  {
    name: 'a bundle of somebody else',
    given: { configuration: withBundle(stranger.certPem) },
    want: ['fail certificates: caBundle of "isolation.rightslice.dev" does not hold the authority that signs']
  },
  {
    name: 'a bundle that has ended',
    given: { configuration: withBundle(ended.certPem), secret: { kind: 'absent' } },
    want: ['fail certificates: every authority of "isolation.rightslice.dev" has ended']
  },
  {
    name: 'certificates of others',
    given: { secret: { kind: 'absent' } },
    want: ['ok certificates: authority is believed everywhere, valid for 364d; others keep the certificates']
  },
  {
    name: 'a Secret that may not be read',
    given: { secret: { kind: 'forbidden' } },
    want: ['ok certificates: authority is believed everywhere, valid for 364d; who signs may not be read']
  },
  {
    name: 'an authority near its end',
    given: {
      serverMs: nowMs + 350 * day
    },
    want: ['warn certificates: authority is believed everywhere, valid for 14d, replaced from 2027-07-29']
  },
  {
    name: 'a webhook that does not answer',
    given: { probe: { kind: 'passed', warnings: ['of somebody else'] } },
    want: ['fail reach: the API server gets no answer from the webhook']
  },
  {
    name: 'a question that may not be asked',
    given: { probe: { kind: 'forbidden' } },
    want: ['info reach: whether the webhook is reached is not known: namespaces may not be created']
  },
  {
    name: 'a question that is refused',
    given: { probe: { kind: 'refused', message: 'no\nway' } },
    want: ['fail reach: a namespace that opts in is refused: "no?way"']
  },
  {
    name: 'no policy and nobody who opted in',
    given: { policies: [], namespaces: [{ metadata: { name: 'plain' } }] },
    want: [
      'info policies: there is no GpuPolicy: nothing will be changed',
      'info namespaces: no namespace has opted in: nothing will be changed'
    ]
  },
  {
    name: 'a policy that is invalid',
    given: { policies: [aRawPolicy(), aRawPolicy({ name: 'wrong', mode: 'Sometimes' })] },
    want: [/^warn policies: GpuPolicy wrong is invalid and switched off: "spec\.mode: \?Sometimes\?/]
  },
  {
    name: 'a label that means nothing',
    given: {
      namespaces: [
        { metadata: { name: 'a', labels: { 'rightslice.dev/rightsize': 'warn' } } },
        { metadata: { name: 'b', labels: { 'rightslice.dev/rightsize': 'Enforce' } } }
      ]
    },
    want: [
      'ok namespaces: namespaces that opted in: 0 enforce, 1 warn',
      'warn namespaces: label rightslice.dev/rightsize counts as off in b ("Enforce")'
    ]
  }
] satisfies readonly {
  readonly name: string
  readonly given: Partial<Parts>
  readonly want: readonly (string | RegExp)[]
}[]) {
  t.test(`${name}: nothing else is told than what is wrong`, async (t) => {
    const told = (await lines(given)).filter((line) => !well.includes(line))

    t.equal(told.length, want.length, told.join('\n'))
    t.match(told, want)
  })
}

t.test('without an advice webhook nobody is asked', async (t) => {
  const told = await lines({
    configuration: without('absent', 'rightslice-advice'),
    probe: { kind: 'passed', warnings: [] }
  })

  t.notMatch(told.join('\n'), 'reach:')
})

t.test('without configurations there is nothing to say of certificates', async (t) => {
  const told = await lines({ configuration: () => ({ kind: 'absent' }) })

  t.notMatch(told.join('\n'), 'certificates:')
})

t.test('what goes wrong comes with what to do', async (t) => {
  const nothing = await anInstallation('', {
    nowMs,
    serverMs: undefined,
    customResource: { kind: 'absent' },
    deployment: { kind: 'absent' },
    probe: { kind: 'passed', warnings: [] }
  })

  const findings = checkInstallation(nothing).filter(({ level }) => level === 'fail' || level === 'warn')

  t.ok(findings.length > 8)
  t.ok(findings.every(({ fix }) => fix !== undefined && fix !== ''))
})

t.test('the worst level counts', async (t) => {
  const of = (...levels: readonly ('ok' | 'info' | 'warn' | 'fail')[]) =>
    worstOf(levels.map((level) => ({ level, text: '' })))

  t.strictSame(
    [of(), of('ok', 'info'), of('warn', 'ok'), of('info', 'fail', 'warn')],
    ['ok', 'info', 'warn', 'fail']
  )
})

const gpuRange = (name: string, item: JsonRecord, namespace = 'search'): JsonRecord => ({
  metadata: { name, namespace },
  spec: { limits: [{ type: 'Container', ...item }] }
})

t.test('[QUOTA9] quotas that a share would escape are told with what to do', async (t) => {
  const quotas = [aRawQuota({ namespace: 'search' }), aRawQuota({ namespace: 'aside' })]
  const told = await lines({ bounds: { nodes: [aMigNode()], resourcequotas: quotas } })

  t.strictSame(told.slice(well.length), [
    'warn limits: ResourceQuota search/gpu counts whole GPUs and not nvidia.com/mig-1g.10gb'
  ])
})

t.test('[QUOTA9] shares that a driver publishes are told like those of a device plugin', async (t) => {
  const told = await lines({
    bounds: {
      nodes: [aNode()],
      resourceslices: someSlices({ parts: h100Parts.slice(0, 1) }),
      deviceclasses: [aDeviceClass(someClasses.small)],
      resourcequotas: [aRawQuota({ namespace: 'search' })]
    }
  })

  t.strictSame(told.slice(well.length), [
    'warn limits: ResourceQuota search/gpu counts whole GPUs and not nvidia.com/mig-1g.10gb'
  ])
})

t.test('[QUOTA7] LimitRanges that give whole GPUs or demand them are told', async (t) => {
  const whole = { 'nvidia.com/gpu': '1' }
  const limitranges = [
    gpuRange('gives', { default: whole }),
    gpuRange('demands', { max: whole, default: whole }),
    gpuRange('elsewhere', { default: whole }, 'aside'),
    gpuRange('shares', { default: { 'nvidia.com/mig-1g.10gb': '1' } })
  ]
  const told = await lines({ bounds: { limitranges } })

  t.strictSame(told.slice(well.length), [
    'warn limits: LimitRange search/gives gives containers that ask for none nvidia.com/gpu',
    'warn limits: LimitRange search/demands gives containers that ask for none nvidia.com/gpu',
    'warn limits: LimitRange search/demands demands of pods, which keep whole GPUs for it, nvidia.com/gpu'
  ])
})

t.test('what bounds pods and may not be read is said, and other faults are faults', async (t) => {
  const failing = (code: 'KUBE_REFUSED' | 'KUBE_UNREACHABLE'): Partial<Parts> => ({
    bounds: {
      get nodes(): readonly unknown[] {
        throw new AppError(code, 'no')
      }
    }
  })

  t.strictSame((await lines(failing('KUBE_REFUSED'))).slice(well.length), [
    'info limits: nodes, quotas and LimitRanges may not all be read'
  ])
  await t.rejects(lines(failing('KUBE_UNREACHABLE')), { code: 'KUBE_UNREACHABLE' })
})
