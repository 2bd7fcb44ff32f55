import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { readClaimTemplate } from '../../src/core/cluster/devices/claim-template.ts'
import { classSetOf } from '../../src/core/cluster/devices/class-set.ts'
import { readDeviceClass } from '../../src/core/cluster/devices/device-class.ts'
import { readDeviceSlice } from '../../src/core/cluster/devices/device-slice.ts'
import { nodeDevicesOf } from '../../src/core/cluster/devices/node-devices.ts'
import { holdsTogether } from '../../src/core/cluster/devices/room.ts'
import { decide } from '../../src/core/decision/decide.ts'
import { fieldAt, isRecord, listOf, stringOf } from '../../src/core/json.ts'
import { applyStrictly } from '../../src/core/patch/apply.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { dra } from '../../src/core/sharing/dra.ts'
import { indexNodes } from '../../src/core/sharing/node-index.ts'
import {
  aClaimTemplate,
  aDeviceView,
  h100Parts,
  type PartSpec,
  someClasses,
  someSlices
} from '../build/devices.ts'
import { anInput } from '../build/input.ts'
import { aPod } from '../build/pod.ts'
import { aUsage } from '../build/usage.ts'
import { frozen } from './frozen.ts'
import { holds } from './holds.ts'

const parts: fc.Arbitrary<readonly PartSpec[]> = fc
  .subarray(h100Parts.map((_, index) => index))
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((index) =>
        fc
          .subarray([...(h100Parts[index]?.starts ?? [])], { minLength: 1 })
          .map((starts) => ({ index, starts }))
      )
    )
  )
  .map((chosen) =>
    chosen.flatMap(({ index, starts }) => {
      const part = h100Parts[index]
      return part === undefined ? [] : [{ ...part, starts }]
    })
  )

const scenes = fc.record({
  gpus: fc.integer({ min: 1, max: 3 }),
  parts,
  classes: fc.subarray(Object.values(someClasses)),
  peaks: fc.array(fc.constantFrom(1000, 7000, 12_000, 15_000, 30_000), { minLength: 1, maxLength: 4 }),
  init: fc.boolean()
})

t.test(
  '[PAT1] [DEC49] what is given is there, all of it at one time, and deciding again changes nothing',
  async (t) => {
    const given: string[] = []
    holds(
      fc.property(scenes, (scene) => {
        const view = aDeviceView({ gpus: scene.gpus, parts: scene.parts }, { classes: scene.classes })
        const claimTemplates = dra
          .offers(view)
          .flatMap(({ profile, deviceClass }) =>
            profile === undefined || deviceClass === undefined
              ? []
              : [aClaimTemplate({ asks: { profile, deviceClass } })]
          )
        const names = scene.peaks.map((_, index) => `c${index}`)
        const initContainers = scene.init ? [{ name: 'before' }] : []
        const pod = frozen(aPod({ containers: names.map((name) => ({ name })), initContainers }))
        const usage = aUsage(...scene.peaks.map((peakMiB, index) => ({ container: `c${index}`, peakMiB })), {
          container: 'before',
          peakMiB: 5000
        })
        const decideOn = (raw: unknown) => {
          const input = anInput({ pod: raw, usage })
          return decide({
            ...input,
            nodes: indexNodes([view]),
            namespace: { ...input.namespace, claimTemplates }
          })
        }
        const decision = decideOn(pod)
        given.push(decision.reason)
        if (decision.kind === 'keep') return
        const after = applyStrictly(pod, toJsonPatch(pod, decision), decision.methods)
        const second = decideOn(after)
        assert.deepEqual(toJsonPatch(after, second), [])
        assert.ok(second.kind === 'rewrite' && second.repeated)

        const shares = decision.changes
          .filter(({ container }) => container.role === 'app')
          .map(
            ({ share }) => view.devices?.shares.findIndex(({ profile }) => `mig-${profile}` === share) ?? -1
          )
        assert.ok(view.devices !== undefined && holdsTogether(view.devices.room, shares))
        const claims = listOf(fieldAt(after, 'spec'), 'resourceClaims').map((claim) =>
          stringOf(claim, 'name')
        )
        assert.equal(new Set(claims).size, claims.length)
      }),
      300
    )
    t.ok(given.filter((reason) => reason === 'FitsMigProfile').length > 30, 'many are given a share')
    t.ok(given.includes('SeveralGpuContainers'), 'and some of them ask for too much')
  }
)

t.test('[SHA42] as many as are offered can be given, whatever the order in which slices come', async (t) => {
  holds(
    fc.property(scenes, fc.boolean(), (scene, turned) => {
      const slices = someSlices({ gpus: scene.gpus, parts: scene.parts }).flatMap(
        (raw) => readDeviceSlice(raw) ?? []
      )
      const devices = nodeDevicesOf(turned ? slices.toReversed() : slices, classSetOf([]))
      assert.deepEqual(devices, nodeDevicesOf(slices, classSetOf([])))
      devices?.shares.forEach(({ count }, share) => {
        const taken = Array.from({ length: count }, () => share)
        assert.ok(holdsTogether(devices.room, taken))
      })
    })
  )
  t.pass()
})

t.test('[DEC2] reading what drivers and others write never fails', async (t) => {
  const keys = [
    'spec',
    'devices',
    'attributes',
    'pool',
    'metadata',
    'name',
    'selectors',
    'cel',
    '__proto__',
    'labels'
  ]
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue(),
      fc.constantFrom<unknown>(null, 1, 'text', {}, []),
      fc
        .array(fc.tuple(fc.constantFrom(...keys), tie('json')), { maxLength: 5 })
        .map((entries) => Object.fromEntries(entries))
    )
  }))
  holds(
    fc.property(json, json, json, (a, b, c) => {
      const [devices] = someSlices()
      const raw = { spec: { ...Object(fieldAt(devices, 'spec')), devices: [a, b], sharedCounters: c } }
      const slices = [a, raw].flatMap((own) => readDeviceSlice(own) ?? [])
      const classes = [b, { metadata: { name: 'x' }, spec: a }].flatMap((own) => readDeviceClass(own) ?? [])
      nodeDevicesOf(slices, classSetOf(classes))
      const metadata = { namespace: 'a', name: 'rightslice-x', labels: b }
      assert.ok(isRecord(readClaimTemplate({ metadata, spec: a })))
      readClaimTemplate(c)
    }),
    300
  )
  t.pass()
})
