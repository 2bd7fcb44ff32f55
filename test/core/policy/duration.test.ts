import t from 'tap'
import { durationRule } from '../../../src/core/api/gpu-policy-rules.ts'
import { parseDuration, printDuration } from '../../../src/core/policy/duration.ts'

const taken: readonly (readonly [string, number])[] = [
  ['13d22h', 1_202_400],
  ['720h', 2_592_000],
  ['14d', 1_209_600],
  ['1h30m', 5400],
  ['0s', 0],
  ['1d1s', 86_401],
  ['90m', 5400],
  ['720h0m0s', 2_592_000]
]

for (const [text, seconds] of taken) {
  t.test(`reads ${text} as ${seconds} s`, async (t) => {
    t.equal(parseDuration(text), seconds)
    t.match(text, new RegExp(durationRule.pattern))
  })
}

for (const value of [
  '',
  '14',
  '1.5h',
  'P14D',
  '-1d',
  '1h1d',
  '1h1h',
  '2w',
  '1d 2h',
  ' 1d',
  '1D',
  14,
  null,
  undefined
]) {
  t.test(`refuses ${JSON.stringify(value)}`, async (t) => {
    t.equal(parseDuration(value), undefined)
    t.notMatch(String(value), new RegExp(durationRule.pattern))
  })
}

t.test('refuses more than ten years', async (t) => {
  t.equal(parseDuration('3660d'), 316_224_000)
  t.equal(parseDuration('3660d1s'), undefined)
  t.equal(parseDuration('999999d'), undefined)
})

const printed: readonly (readonly [number, string])[] = [
  [0, '0s'],
  [0.9, '0s'],
  [59, '59s'],
  [60, '1m'],
  [5400, '1h30m'],
  [5461, '1h31m'],
  [86_400, '1d'],
  [86_460, '1d'],
  [1_202_400, '13d22h'],
  [1_209_600, '14d']
]

for (const [seconds, text] of printed) {
  t.test(`prints ${seconds} s as ${text}`, async (t) => {
    t.equal(printDuration(seconds), text)
  })
}
