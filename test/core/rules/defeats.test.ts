import t from 'tap'
import { defeatsOf, firstDefeat } from '../../../src/core/rules/defeats.ts'
import type { IsolationInput } from '../../../src/core/rules/verdict.ts'
import { anIsolationInput, asking, type JudgedSpec, withEnv } from '../../build/isolation.ts'

const bad = { ...asking('nvidia.com/gpu'), ...withEnv(['NVIDIA_VISIBLE_DEVICES', 'all']) }

function ruleOf(input: IsolationInput, asShared: boolean): string | undefined {
  return firstDefeat(input, defeatsOf(input.pod, input.security), asShared)?.rule
}

t.test('[RULE8] the breach that defeats a share', async (t) => {
  const codeOf = (spec: JudgedSpec, asShared = false) => ruleOf(anIsolationInput(spec), asShared)

  t.equal(codeOf({ main: bad }), 'VisibleDevicesOverride')
  t.equal(codeOf({ main: bad, policies: [{ admission: { isolation: 'Warn' } }] }), 'VisibleDevicesOverride')
  t.equal(codeOf({ main: bad, policies: [{ admission: { isolation: 'Off' } }] }), undefined)
  t.equal(codeOf({ main: bad, labels: { 'rightslice.dev/rightsize': 'off' } }), undefined)
  t.equal(codeOf({ main: { envFrom: [{}] }, spec: { nodeName: 'n' } }), undefined)
  t.equal(codeOf({ main: asking('nvidia.com/gpu'), spec: { hostIPC: true } }), undefined)
  t.equal(codeOf({ main: asking('nvidia.com/gpu'), spec: { hostIPC: true } }, true), 'HostIpcWithSharedGpu')
})

t.test('[RULE8] every rule that defeats a share is found once, in the order of the table', async (t) => {
  const { pod, security } = anIsolationInput({
    main: { ...bad, securityContext: { privileged: true } },
    spec: { hostIPC: true, hostPID: true, initContainers: [{ name: 'first', ...bad }], nodeName: 'n' }
  })

  const found = defeatsOf(pod, security)

  t.strictSame(
    found.map(({ rule, onlyShared }) => `${rule} ${onlyShared}`),
    [
      'VisibleDevicesOverride false',
      'PrivilegedWithGpu false',
      'HostPidWithGpu false',
      'HostIpcWithSharedGpu true'
    ]
  )
  t.match(found[0]?.sentence, /^\[VisibleDevicesOverride\] (init )?container "\w+" sets/)
})

t.test('[RULE8] pods that break none have one list in common', async (t) => {
  const lists = [1, 2].map(() => {
    const { pod, security } = anIsolationInput({ main: asking('nvidia.com/gpu') })
    return defeatsOf(pod, security)
  })

  t.strictSame(lists[0], [])
  t.equal(lists[0], lists[1])
})
