import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findBinaries, findHelm, findPrometheus } from './binaries.ts'
import { BINARY_NAMES } from './control-plane-group.ts'
import { VERSION_VARIABLE } from './kubernetes-version.ts'
import { HELM_NAMES, PROMETHEUS_NAMES } from './program-group.ts'

/** A folder of programs that only tell their version. */
function folderOf(t: Test, names: readonly string[], version: string): string {
  const script = `#!/bin/sh\necho 'Kubernetes ${version}'\n`
  const folder = t.testdir(Object.fromEntries(names.map((name) => [name, script])))
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755)
  return folder
}

/** Looks with these two variables set, and restores them. */
async function look(
  variables: {
    readonly KUBEBUILDER_ASSETS: string
    readonly PATH: string
    readonly [VERSION_VARIABLE]?: string
  },
  find: typeof findBinaries | typeof findPrometheus | typeof findHelm = findBinaries
) {
  const set = { [VERSION_VARIABLE]: '', ...variables }
  const before = Object.fromEntries(Object.keys(set).map((key) => [key, process.env[key]]))
  Object.assign(process.env, set)
  const told: string[] = []
  try {
    return { binaries: await find((line) => told.push(line)), told }
  } finally {
    for (const [key, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[key]
      else process.env[key] = value
    }
  }
}

const PLACES = [
  { from: 'KUBEBUILDER_ASSETS', variables: (folder: string) => ({ KUBEBUILDER_ASSETS: folder, PATH: '' }) },
  { from: 'PATH', variables: (folder: string) => ({ KUBEBUILDER_ASSETS: '', PATH: folder }) }
] as const
for (const { from, variables } of PLACES) {
  await t.test(`finds new enough programs in ${from}`, async (t) => {
    const folder = folderOf(t, BINARY_NAMES, 'v1.36.0')

    const { binaries } = await look(variables(folder))

    t.match(binaries, { kind: 'found', from, paths: { kubectl: join(folder, 'kubectl') } })
  })
}

const REFUSED = [
  {
    name: 'one is missing',
    names: BINARY_NAMES.slice(1),
    version: 'v1.36.0',
    why: /KUBEBUILDER_ASSETS: no etcd;/
  },
  {
    name: 'one is too old',
    names: BINARY_NAMES,
    version: 'v1.35.9',
    why: /says "Kubernetes v1\.35\.9", too old/
  }
]
for (const { name, names, version, why } of REFUSED) {
  await t.test(`without Go, says how to get the programs when ${name}`, async (t) => {
    const folder = folderOf(t, names, version)

    const { binaries, told } = await look({ KUBEBUILDER_ASSETS: folder, PATH: '' })

    t.match(binaries, { kind: 'missing', how: /install Go/ })
    t.match(binaries, { how: why })
    t.match(told, [/KUBEBUILDER_ASSETS/])
  })
}

await t.test('a release that is named is taken, and no newer one', async (t) => {
  const same = folderOf(t, BINARY_NAMES, 'v1.34.9')
  await t.test('a newer one', async (t) => {
    const newer = folderOf(t, BINARY_NAMES, 'v1.36.3')
    const { binaries } = await look({ KUBEBUILDER_ASSETS: newer, PATH: '', [VERSION_VARIABLE]: '1.34' })

    t.match(binaries, { kind: 'missing', how: /\(Kubernetes 1\.34\): install Go/ })
    t.match(binaries, { how: /says "Kubernetes v1\.36\.3", too new/ })
  })

  const { binaries } = await look({ KUBEBUILDER_ASSETS: same, PATH: '', [VERSION_VARIABLE]: '1.34' })

  t.match(binaries, { kind: 'found', from: 'KUBEBUILDER_ASSETS' })
})

await t.test('finds the programs of Prometheus apart from those of the control plane', async (t) => {
  const folder = folderOf(t, PROMETHEUS_NAMES, 'prometheus, version 3.13.5')

  const found = await look({ KUBEBUILDER_ASSETS: '/nowhere', PATH: folder }, findPrometheus)
  const missing = await look({ KUBEBUILDER_ASSETS: '', PATH: '' }, findPrometheus)

  t.match(found, {
    binaries: { kind: 'found', from: 'PATH', paths: { promtool: join(folder, 'promtool') } },
    told: []
  })
  t.match(missing.binaries, { kind: 'missing', how: /needs prometheus, promtool: install Go/ })
})

await t.test('finds a helm that is new enough, and no older one', async (t) => {
  const folder = folderOf(t, HELM_NAMES, 'v3.14.0+g3fc9f4b')
  await t.test('an older one', async (t) => {
    const old = folderOf(t, HELM_NAMES, 'v3.13.9+g3fc9f4b')
    const { binaries } = await look({ KUBEBUILDER_ASSETS: '', PATH: old }, findHelm)
    t.match(binaries, { kind: 'missing', how: /needs helm \(Helm 3\.14 or newer\): install Go/ })
  })

  const { binaries } = await look({ KUBEBUILDER_ASSETS: '', PATH: folder }, findHelm)

  t.match(binaries, { kind: 'found', from: 'PATH', paths: { helm: join(folder, 'helm') } })
})
