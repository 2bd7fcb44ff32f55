import t from 'tap'
import { parseValues } from '../../src/install/parse-values.ts'

const defaults = {
  image: 'rightslice:0.1.0',
  webhookReplicas: 3,
  controllerReplicas: 2,
  certificates: 'managed',
  networkPolicy: true,
  podMonitor: false,
  settings: {}
}

t.test('without a choice there are the defaults, and the last choice of a value counts', async (t) => {
  t.strictSame(parseValues([]), defaults)
  t.strictSame(parseValues(['webhookReplicas=4', 'webhookReplicas=5', 'settings.prometheusTenant=7']), {
    ...defaults,
    webhookReplicas: 5,
    settings: { prometheusTenant: '7' }
  })
})

t.test('names of images', async (t) => {
  const digest = `sha256:${'0a'.repeat(32)}`
  for (const image of [
    'rightslice',
    'registry.example/a/b:1.2.3',
    'registry.example:5000/a/b',
    `registry.example/b@${digest}`,
    `registry.example:5000/a/b:1@${digest}`
  ])
    t.equal(parseValues([`image=${image}`]).image, image)
  for (const image of ['', 'a b', 'a:b:c', 'a@sha256:12', 'a\nb', '{{ x }}', 'https://x/y'])
    t.throws(() => parseValues([`image=${image}`]), { code: 'USAGE_WRONG' }, image)
})

for (const { pairs, message } of [
  { pairs: ['webhookReplicas=2'], message: /webhookReplicas: .*>=3/ },
  { pairs: ['webhookReplicas=10'], message: /webhookReplicas: .*<=9/ },
  { pairs: ['controllerReplicas=0'], message: /controllerReplicas: .*>=1/ },
  { pairs: ['certificates=files'], message: /certificates: Invalid option/ },
  { pairs: ['networkPolicy=yes'], message: /networkPolicy: Invalid input: expected boolean/ },
  { pairs: ['namespace=other'], message: /Unrecognized key: \?namespace\?/ },
  { pairs: ['settings.refreshSeconds=1'], message: /settings.refreshSeconds: .*>=5/ },
  { pairs: ['settings.ownNamespace=other'], message: /settings: Unrecognized key: \?ownNamespace\?/ },
  { pairs: ['settings.prometheusUrl=http://u:p@x'], message: /settings.prometheusUrl: must be an http/ },
  { pairs: ['settings=1'], message: /"settings=1": write KEY=VALUE or settings.KEY=VALUE/ },
  { pairs: ['image'], message: /"image": write KEY=VALUE/ },
  { pairs: ['a.b=1'], message: /"a.b=1": write KEY=VALUE/ },
  { pairs: ['__proto__=1'], message: /Unrecognized key/ },
  { pairs: ['podMonitor=1', 'webhookReplicas=x'], message: /webhookReplicas.*; .*podMonitor/ }
])
  t.test(`--set ${pairs.join(' ')} is refused`, async (t) => {
    t.throws(() => parseValues(pairs), { code: 'USAGE_WRONG', message })
  })
