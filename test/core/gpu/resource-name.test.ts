import fc from 'fast-check'
import t from 'tap'
import {
  type GpuResource,
  migResourceName,
  parseGpuResourceName,
  printGpuResourceName
} from '../../../src/core/gpu/resource-name.ts'

await t.test('[GPU4] reads and prints the names of whole GPUs, slices and shares', (t) => {
  const cases: readonly { name: string; want: Exclude<GpuResource, { kind: 'foreign' }> }[] = [
    { name: 'nvidia.com/gpu', want: { kind: 'whole' } },
    { name: 'nvidia.com/gpu.shared', want: { kind: 'shared', of: 'gpu' } },
    { name: 'nvidia.com/mig-1g.10gb', want: { kind: 'mig', profile: '1g.10gb' } },
    { name: 'nvidia.com/mig-1g.10gb.me', want: { kind: 'mig', profile: '1g.10gb+me' } },
    { name: 'nvidia.com/mig-1g.24gb-me', want: { kind: 'mig', profile: '1g.24gb-me' } },
    { name: 'nvidia.com/mig-1g.24gb.me.all', want: { kind: 'mig', profile: '1g.24gb+me.all' } },
    { name: 'nvidia.com/mig-1g.24gb.gfx', want: { kind: 'mig', profile: '1g.24gb+gfx' } },
    { name: 'nvidia.com/mig-1c.2g.20gb', want: { kind: 'mig', profile: '1c.2g.20gb' } },
    { name: 'nvidia.com/mig-1g.10gb.shared', want: { kind: 'shared', of: 'mig', profile: '1g.10gb' } },
    { name: 'nvidia.com/mig-1g.10gb.me.shared', want: { kind: 'shared', of: 'mig', profile: '1g.10gb+me' } },
    { name: 'nvidia.com/mig-1g.24gb-me.shared', want: { kind: 'shared', of: 'mig', profile: '1g.24gb-me' } }
  ]

  for (const { name, want } of cases) {
    t.strictSame(parseGpuResourceName(name), want, name)
    t.equal(printGpuResourceName(want), name, name)
  }
  t.end()
})

await t.test('[GPU4] writes no plus sign into a resource name', (t) => {
  t.equal(migResourceName('1g.10gb+me'), 'nvidia.com/mig-1g.10gb.me')
  t.equal(migResourceName('1g.24gb+gfx+me.all'), 'nvidia.com/mig-1g.24gb.gfx.me.all')
  t.end()
})

await t.test('[GPU5] takes look-alikes of our names for foreign ones', (t) => {
  const names = [
    'nvidia.com/gpu.shared.shared',
    'nvidia.com/gpux',
    'nvidia.com/GPU',
    'nvidia.com/mig1g.5gb',
    'nvidia.com/mig-1g.10gb+me',
    'nvidia.com/mig-1g.10gb.replicas',
    'nvidia.com/mig-',
    'nvidia.com/.shared'
  ]

  for (const name of names)
    t.strictSame(parseGpuResourceName(name), { kind: 'foreign', system: 'nvidia' }, name)
  t.strictSame(parseGpuResourceName('nvidia.com/gpumem'), { kind: 'foreign', system: 'hami' })
  t.end()
})

await t.test('[GPU4] says undefined for what is no GPU', (t) => {
  const names = [
    '',
    'cpu',
    'memory',
    'ephemeral-storage',
    'rdma/hca',
    'gpu',
    'nvidia.com',
    'requests.nvidia.com/gpu',
    ' nvidia.com/gpu',
    'example.nvidia.com/gpu',
    'nvidia.com.example/mig-1g.10gb',
    '.shared'
  ]

  for (const name of names) t.equal(parseGpuResourceName(name), undefined, JSON.stringify(name))
  t.end()
})

await t.test('[GPU4] any text gives an answer, and a name that is not foreign prints as it was', (t) => {
  const names = fc.oneof(
    fc.string(),
    fc.stringMatching(/^nvidia\.com\/(gpu|mig-[1-9]g\.[1-9]0gb)[a-z.-]{0,8}$/)
  )

  fc.assert(
    fc.property(names, (name) => {
      const parsed = parseGpuResourceName(name)
      return parsed === undefined || parsed.kind === 'foreign' || printGpuResourceName(parsed) === name
    })
  )
  t.end()
})
