import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { supportedReleases } from '../../src/core/api/kubernetes-range.ts'
import { whyWithout } from './features.ts'
import { bedVersion, VERSION_NAMES, VERSIONS } from './kubernetes-version.ts'

t.test('a bed can be the oldest and the newest release that is supported', async (t) => {
  t.strictSame([VERSION_NAMES.at(0), VERSION_NAMES.at(-1)], Object.values(supportedReleases))
  t.strictSame([...VERSION_NAMES].sort(), Object.keys(VERSIONS).sort())
})

t.test('each release is pinned by a module file of its own, all its parts alike', async (t) => {
  for (const version of VERSION_NAMES) {
    const goMod = readFileSync(join(VERSIONS[version].moduleDirectory, 'go.mod'), 'utf8')
    const [, patch] = /^\s*k8s\.io\/kubernetes v1\.(\d+\.\d+)\b/m.exec(goMod) ?? []
    const staging = [...goMod.matchAll(/^\s*k8s\.io\/\S+ => k8s\.io\/\S+ (\S+)$/gm)].map(([, pin]) => pin)

    t.equal(`1.${patch?.split('.')[0]}`, version)
    t.ok(staging.length > 30, version)
    t.strictSame([...new Set(staging)], [`v0.${patch}`], version)
  }
})

t.test('the release is the newest unless the variable names one', async (t) => {
  t.strictSame(bedVersion(''), { version: '1.36', isNamed: false })
  t.strictSame(bedVersion('1.34'), { version: '1.34', isNamed: true })
  t.throws(() => bedVersion('1.33'), {
    message: 'BED_KUBERNETES is 1.33; a bed can be 1.34 or 1.36'
  })
})

t.test('a part of Kubernetes that a release lacks is a reason to skip there, and nowhere else', async (t) => {
  t.equal(
    whyWithout('DRAExtendedResource', '1.34'),
    'Kubernetes 1.34 is without extended resources served by DRA (gate DRAExtendedResource: alpha and off, on since 1.36)'
  )
  t.equal(whyWithout('DRAExtendedResource', '1.36'), undefined)
})
