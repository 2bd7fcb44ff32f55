import t from 'tap'
import type { Breach } from '../../../src/core/rules/rule.ts'
import { breachLine, breachWarnings, refusalMessage, subjectOf } from '../../../src/core/rules/tell.ts'

function aBreach(fields: Partial<Breach> = {}): Breach {
  return {
    rule: 'PrivilegedWithGpu',
    container: { list: 'containers', name: 'main' },
    seen: 'is privileged',
    wayOut: 'drop it',
    ...fields
  }
}

t.test('[RULE4] a line names the rule, the container, what was seen and the way out', async (t) => {
  t.equal(breachLine(aBreach()), '[PrivilegedWithGpu] container "main" is privileged; drop it')
})

t.test('[RULE1] the kind of container is said, and the pod where no container is to blame', async (t) => {
  t.equal(subjectOf({ list: 'initContainers', name: 'i' }), 'init container "i"')
  t.equal(subjectOf({ list: 'ephemeralContainers', name: 'e' }), 'ephemeral container "e"')
  t.equal(subjectOf(undefined), 'the pod')
})

t.test('[RULE4] a refusal has a line for each breach, then policy and help', async (t) => {
  const message = refusalMessage([aBreach(), aBreach({ rule: 'NodeNameSet', container: undefined })], 'dc1')

  t.strictSame(message.split('\n'), [
    '[PrivilegedWithGpu] container "main" is privileged; drop it',
    '[NodeNameSet] the pod is privileged; drop it',
    'policy "dc1"; help: rightslice explain --reason PrivilegedWithGpu'
  ])
  t.match(refusalMessage([aBreach()], undefined), /\nhelp: rightslice explain/)
})

t.test('[RULE4] of many containers the first five are named, and every rule', async (t) => {
  const many = Array.from({ length: 900 }, () => aBreach())

  const lines = refusalMessage([...many, aBreach({ rule: 'NodeNameSet' })], undefined).split('\n')

  t.equal(lines.length, 8)
  t.equal(lines[5], '[PrivilegedWithGpu] and 895 more')
  t.match(lines[6], /^\[NodeNameSet\]/)
})

t.test('warnings are short lines of ours, and a template is told what would be refused', async (t) => {
  const verdict = {
    kind: 'judged',
    policy: undefined,
    refused: [aBreach()],
    warned: [aBreach({ rule: 'UnknownEnvironment', seen: 'x'.repeat(400) })],
    exempt: [
      { breach: aBreach({ rule: 'NodeNameSet' }), exemption: 'tests' },
      { breach: aBreach({ rule: 'NodeNameSet' }), exemption: 'tests' }
    ]
  } as const

  t.match(breachWarnings(verdict, 'is'), [
    /^rightslice: \[UnknownEnvironment\] .*\.\.\.$/,
    'rightslice: [NodeNameSet] is lifted by GpuExemption "tests"'
  ])
  t.equal(breachWarnings(verdict, 'is').length, 2)
  t.match(breachWarnings(verdict, 'would'), [
    'rightslice: pods will be refused: [PrivilegedWithGpu] container "main" is privileged; drop it',
    /^rightslice: \[UnknownEnvironment\]/
  ])
  for (const line of breachWarnings(verdict, 'would')) t.ok(line.length <= 250)
})

t.test('what is the same in words is told once', async (t) => {
  const warned = [aBreach(), aBreach(), aBreach({ rule: 'NodeNameSet' })]

  const lines = breachWarnings({ kind: 'judged', policy: undefined, refused: [], warned, exempt: [] }, 'is')

  t.strictSame(lines, [
    'rightslice: [PrivilegedWithGpu] container "main" is privileged; drop it',
    'rightslice: [NodeNameSet] container "main" is privileged; drop it'
  ])
})
