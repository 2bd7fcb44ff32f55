import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { reasons } from '../../src/core/api/reasons.ts'
import { decide } from '../../src/core/decision/decide.ts'
import { auditAnnotationsOf, warningsOf } from '../../src/core/decision/tell.ts'
import { isRecord } from '../../src/core/json.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { anInput } from '../build/input.ts'
import { admit } from './admit.ts'
import { type Scenario, scenarios } from './arbitraries.ts'
import { frozen } from './frozen.ts'
import { holds } from './holds.ts'

const KEYS = [
  '__proto__',
  'constructor',
  'metadata',
  'spec',
  'containers',
  'limits',
  'nvidia.com/gpu',
  '',
  '~1'
] as const

/** JSON with names that mean something to somebody. */
const json: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, true, 0, -1, 1e308, '', 'text', [], {}, '1e999999', 'NaN'),
  fc
    .array(fc.tuple(fc.constantFrom(...KEYS), fc.jsonValue()), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries))
)

/** One replaced, added or removed value somewhere in the object; each step of the way picks a field by its number. */
function spliced(value: unknown, [step, ...rest]: readonly number[], insert: unknown): unknown {
  if (step === undefined) return insert
  if (Array.isArray(value)) {
    const place = value.length === 0 ? 0 : step % value.length
    return value.length === 0 ? [insert] : value.with(place, spliced(value[place], rest, insert))
  }
  if (!isRecord(value)) return insert
  const keys = [...Object.keys(value), ...KEYS.slice(0, 2)]
  const key = keys[step % keys.length] ?? ''
  const changed = spliced(Object.hasOwn(value, key) ? value[key] : undefined, rest, insert)
  const others = Object.entries(value).filter(([name]) => name !== key)
  return Object.fromEntries(changed === undefined ? others : [...others, [key, changed]])
}

function answers(scenario: Scenario, pod: unknown): void {
  const { decision, patch, pod: after } = admit(scenario, frozen(pod))

  assert.ok(Object.hasOwn(reasons, decision.reason))
  assert.ok(decision.sentence.length > 0)
  assert.ok(warningsOf(decision).every((line) => line.length <= 120))
  assert.equal(typeof auditAnnotationsOf(decision).snapshot, 'string')
  assert.doesNotThrow(() => JSON.stringify(patch))
  assert.deepEqual(admit(scenario, after).patch, [])
}

t.test('[DEC2] any JSON in place of a pod gives an answer, and never throws', async () => {
  holds(fc.property(scenarios, json, answers), 300)
})

t.test('[DEC2] any JSON at any place of a pod gives an answer, and never throws', async () => {
  const path = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 7 })
  const insert = fc.option(json, { nil: undefined })

  holds(
    fc.property(scenarios, path, insert, (scenario, steps, value) =>
      answers(scenario, spliced(scenario.pod, steps, value))
    ),
    400
  )
})

t.test('[DEC2] two pods of nonsense in one are no better', async () => {
  const path = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 5 })

  holds(
    fc.property(scenarios, path, path, json, (scenario, one, other, value) =>
      answers(scenario, spliced(spliced(scenario.pod, one, value), other, value))
    )
  )
})

t.test('any decision gives a patch for any object', async () => {
  holds(
    fc.property(scenarios, json, (scenario, raw) => {
      const { decision } = admit(scenario)
      assert.doesNotThrow(() => JSON.stringify(toJsonPatch(raw, decision)))
    })
  )
})

t.test('a pod nested a thousand levels deep gives an answer', async (t) => {
  const deep = JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`)

  t.equal(decide(anInput({ pod: deep })).reason, 'NoGpuRequest')
})
