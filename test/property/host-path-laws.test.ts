import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { hostPathPattern, hostReachOf } from '../../src/core/rules/host-path.ts'
import { holds } from './holds.ts'

const RUNS = 20_000

const names = fc.constantFrom(
  ...' . dev nvidia0 nvidia dri proc self 1 12x thread-self root driver sys bus pci run var lib kubelet'.split(
    ' '
  ),
  ...'device-plugins plugins pod-resources cdi etc sysroot .bottlerocket rootfs mnt stateful_partition'.split(
    ' '
  ),
  ...'docker.sock containerd k3s tmp nvidia-mps srv data home ... .hidden rancher agent snap'.split(' ')
)
const path = fc
  .array(names, { maxLength: 7 })
  .chain((steps) => fc.boolean().map((slash) => (slash ? '/' : '') + steps.join('/')))

/** What the policies say of a path. */
function byPattern(text: string): string | undefined {
  if (devices.test(text)) return 'devices'
  return sockets.test(text) ? 'plugin-socket' : undefined
}

const devices = new RegExp(hostPathPattern('devices'))
const sockets = new RegExp(hostPathPattern('plugin-socket'))

t.test(
  '[BACK10] the pattern of the policies finds what the rule finds, for every path without ..',
  async () => {
    holds(
      fc.property(path, (text) => {
        assert.equal(byPattern(text), hostReachOf(text), text)
      }),
      RUNS
    )
  }
)

t.test('[BACK10] among others in one text, the pattern finds nothing that the rule would not', async () => {
  const inText = new RegExp(hostPathPattern('devices', { inText: true }))
  holds(
    fc.property(
      fc.array(path, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(' ', ',', ':', ';', '='),
      (paths, by) => {
        const text = paths.join(by)
        const reaches = text
          .split(/[\s,;=:]+/)
          .some((part) => part.startsWith('/') && hostReachOf(part) === 'devices')
        assert.equal(inText.test(text), reaches, text)
      }
    ),
    RUNS
  )
})
