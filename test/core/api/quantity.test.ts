import t from 'tap'
import { parseQuantity, printMiB, quantityToCount, quantityToMiB } from '../../../src/core/api/quantity.ts'
import vectors from './quantity-vectors.json' with { type: 'json' }

const LARGEST = (2n ** 63n - 1n) * 1_000_000_000n

/** The API server reads a text without any digit as zero; we refuse it. */
const withoutDigit = new Set(['.', '+', '-', 'Gi'])

function cut(nano: bigint): bigint {
  const low = nano < -LARGEST ? -LARGEST : nano
  return low > LARGEST ? LARGEST : low
}

t.test('quantity vectors: reads every text as the API server does', async (t) => {
  for (const { text, nano } of vectors.vectors) {
    const want = nano === null || withoutDigit.has(text) ? undefined : { nano: cut(BigInt(nano)) }
    t.strictSame(parseQuantity(text), want, JSON.stringify(text))
  }
})

t.test('never explodes on huge exponents and long texts', async (t) => {
  t.strictSame(parseQuantity('1e99999999999'), { nano: LARGEST })
  t.strictSame(parseQuantity('-1e5000'), { nano: -LARGEST })
  t.strictSame(parseQuantity('1e-99999999999'), { nano: 1n })
  t.strictSame(parseQuantity('0e99999999999'), { nano: 0n })
  t.equal(parseQuantity('1'.repeat(129)), undefined)
  t.equal(parseQuantity(`1e${'9'.repeat(100_000)}`), undefined)
})

t.test('reads numbers from JSON and refuses everything else', async (t) => {
  t.strictSame(parseQuantity(1), { nano: 1_000_000_000n })
  t.strictSame(parseQuantity(1.5), { nano: 1_500_000_000n })
  t.strictSame(parseQuantity(1e21), { nano: LARGEST })
  t.strictSame(parseQuantity(' 1 '), { nano: 1_000_000_000n })
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, null, undefined, true, {}, [], ['1'], 1n]) {
    t.equal(parseQuantity(value), undefined, typeof value)
  }
})

const counts: readonly (readonly [unknown, number | undefined])[] = [
  ['1', 1],
  [1, 1],
  ['1000m', 1],
  ['1e0', 1],
  ['1E0', 1],
  ['+1', 1],
  ['0.001k', 1],
  ['1.0', 1],
  ['20k', 20_000],
  ['1k', 1000],
  ['0', 0],
  ['-0', 0],
  ['-1', undefined],
  ['500m', undefined],
  ['1.5', undefined],
  [0.5, undefined],
  ['1e18', undefined],
  ['', undefined],
  ['one', undefined],
  [null, undefined]
]

for (const [value, want] of counts) {
  t.test(`counts ${JSON.stringify(value)} as ${want}`, async (t) => {
    t.equal(quantityToCount(value), want)
  })
}

const sizes: readonly (readonly [unknown, number | undefined])[] = [
  ['3686Mi', 3686],
  ['20Gi', 20_480],
  ['512Ki', 0.5],
  ['1048576', 1],
  [1_048_576, 1],
  ['1G', 953.674_316_406_25],
  ['0', 0],
  ['-1Mi', undefined],
  ['much', undefined]
]

for (const [value, want] of sizes) {
  t.test(`${JSON.stringify(value)} of bytes are ${want} MiB`, async (t) => {
    t.equal(quantityToMiB(value), want)
  })
}

const prints: readonly (readonly [number, string])[] = [
  [0, '0Mi'],
  [3686, '3686Mi'],
  [3686.4, '3686Mi'],
  [4095, '4095Mi'],
  [4096, '4Gi'],
  [4424, '4.3Gi'],
  [4864, '4.75Gi'],
  [9728, '9.5Gi'],
  [20_480, '20Gi'],
  [81_559, '79.6Gi']
]

for (const [mib, want] of prints) {
  t.test(`prints ${mib} MiB as ${want}`, async (t) => {
    t.equal(printMiB(mib), want)
  })
}
