import fc from 'fast-check'
import t from 'tap'
import type { SourceUnit } from '../../../src/core/usage/dialect.ts'
import { IMPOSSIBLE_MIB, parseSampleValue, readValue } from '../../../src/core/usage/dialect-value.ts'

const values: readonly (readonly [raw: number, unit: SourceUnit, model: string, want: number | string])[] = [
  [4100, 'MiB', '', 4100],
  [0, 'MiB', '', 0],
  [7_516_192_768, 'bytes', '', 7168],
  [7_516_192_768, 'MiB', '', 'impossible'],
  [IMPOSSIBLE_MIB, 'MiB', '', IMPOSSIBLE_MIB],
  [IMPOSSIBLE_MIB + 1, 'MiB', '', 'impossible'],
  [81_920, 'MiB', 'NVIDIA-A100-SXM4-80GB', 81_920],
  [90_000, 'MiB', 'NVIDIA-A100-SXM4-80GB', 'impossible'],
  [90_000, 'MiB', 'Tesla-T4', 90_000],
  [2_147_483_632, 'MiB', '', 'blank'],
  [2_147_483_632, 'bytes', '', 'blank'],
  [2 ** 63 - 16, 'MiB', '', 'blank'],
  [2 ** 63 - 14, 'ratio', '', 'blank'],
  [2 ** 47, 'bytes', '', 'blank'],
  [2 ** 47 + 2, 'MiB', '', 'blank'],
  [Number.NaN, 'MiB', '', 'not-a-number'],
  [Infinity, 'MiB', '', 'infinite'],
  [-Infinity, 'ratio', '', 'infinite'],
  [-1, 'MiB', '', 'negative'],
  [0.31, 'ratio', '', 0.31],
  [1.004, 'ratio', '', 1],
  [31, 'ratio', '', 'impossible'],
  [31, 'percent', '', 0.31],
  [150, 'percent', '', 'impossible']
]
for (const [raw, unit, model, want] of values) {
  t.test(`${raw} ${unit}${model === '' ? '' : ` on ${model}`} is ${want}`, (t) => {
    const read = readValue(raw, unit, model)

    t.strictSame(
      read,
      typeof want === 'number' ? { kind: 'value', value: want } : { kind: 'discard', why: want }
    )
    t.end()
  })
}

t.test('more than one MiB in bytes, read as MiB, is always impossible', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1024 * 1024 + 1, max: 300 * 1024 ** 3 }), (bytes) => {
      return readValue(bytes, 'MiB', '').kind === 'discard'
    })
  )
  t.end()
})

t.test('reads numbers as they are printed', (t) => {
  const cases: readonly (readonly [string, number])[] = [
    ['4100', 4100],
    ['9.223372036854776e+18', 9.223372036854776e18],
    ['+Inf', Infinity],
    ['-Inf', -Infinity],
    ['infinity', Infinity],
    ['NaN', Number.NaN],
    ['.5', 0.5],
    ['', Number.NaN],
    ['0x10', Number.NaN],
    ['1 2', Number.NaN]
  ]
  for (const [text, want] of cases) t.strictSame(parseSampleValue(text), want, text)
  t.end()
})
