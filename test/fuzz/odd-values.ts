import type { Random } from './random.ts'

/** Names that mean something to JavaScript, to JSON Pointer, or to nobody. */
export const oddKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  '~',
  '~1',
  '~0',
  'a/b',
  '0',
  '-',
  'length',
  '\u0000',
  '\ud800',
  '\u202e',
  'nvidia.com/gpu',
  'é'.normalize('NFD')
] as const

const oddStrings = [
  '',
  ' ',
  '\u0000',
  '\n\r\t',
  '\ud800',
  '\udfff\ud800',
  '\u202etxt',
  '\ufeff',
  '\ufffd',
  '\u2028\u2029',
  '😀'.repeat(40),
  'e\u0301'.repeat(30),
  '\u001b[31mred',
  '%s%n%x',
  '${HOME}',
  '$(A)$(B)',
  '$(',
  '../../../dev',
  '/proc/self/root/dev/nvidia0',
  '//dev//./nvidia0/',
  '"\\"',
  '~1~0',
  'NaN',
  'Infinity',
  'null',
  'true',
  '__proto__',
  'constructor',
  'all',
  'void',
  'Always',
  'rightslice.dev/decision',
  'nvidia.com/gpu'
] as const

/** Quantities in every spelling that the grammar knows, and some that it does not. */
const quantities = [
  '1',
  1,
  '1000m',
  '1e0',
  '1E0',
  '1e3m',
  '0.001k',
  '+1',
  '-1',
  '1.0',
  '1.',
  '.1e1',
  '0',
  0,
  '2',
  '1k',
  '1Ki',
  '1Ei',
  '999999999999999999999',
  '1e18',
  '1e999999',
  '1e-999999',
  '-0',
  '0x1',
  '1 ',
  ' 1',
  '1_000',
  '١',
  '1ki',
  'm',
  '1n',
  '1000000000n',
  '0.5',
  1.5,
  -1,
  1e308,
  2 ** 53,
  '',
  null,
  true,
  [],
  {}
] as const

const numbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  1e-7
] as const

/** How long a string may become, characters, and how deep a value may be nested. */
const LONGEST = 200_000
const DEEPEST = 100_000

/** A string that nobody expects; now and then a very long one. */
export function oddString(random: Random): string {
  const text = random.pick(oddStrings)
  if (!random.once(40)) return text
  const unit = text === '' ? 'x' : text
  return unit.repeat(Math.ceil(random.length(LONGEST) / unit.length))
}

/** A quantity in any spelling, or in none. */
export function anyQuantity(random: Random): unknown {
  if (random.once(3)) return random.pick(quantities)
  const sign = random.pick(['', '', '', '+', '-'])
  const digits = String(random.below(10 ** (1 + random.below(9))))
  const fraction = random.once(4) ? `.${random.below(1000)}` : ''
  const suffix = random.pick([
    '',
    '',
    'm',
    'u',
    'n',
    'k',
    'M',
    'G',
    'Ki',
    'Mi',
    'Gi',
    'e2',
    'E-2',
    'e+1',
    'x'
  ])
  return `${sign}${digits}${fraction}${suffix}`
}

/** Any value that JSON can hold. */
export function oddValue(random: Random): unknown {
  switch (random.below(9)) {
    case 0:
      return null
    case 1:
      return random.once(2)
    case 2:
      return random.pick(numbers)
    case 3:
      return []
    case 4:
      return {}
    case 5:
      return [null, {}, [], 'x', 1]
    case 6:
      return anyQuantity(random)
    case 7:
      return random.once(4) ? deep(random) : random.below(1000)
    default:
      return oddString(random)
  }
}

/** Stands for a list or object that is nested so deeply that no program could write it down without running out of stack. */
function deep(random: Random): unknown {
  const name = `@@deep:${random.length(DEEPEST)}@@`
  return random.once(2) ? [name] : { [name]: 0 }
}

/** The text with every stand-in written out; those that come after so many levels in all are shallow. */
export function writeOutDeep(text: string): string {
  let left = 2 * DEEPEST
  return text.replaceAll(/"@@deep:(\d+)@@"(:0)?/g, (_, asked: string, isField?: string) => {
    const levels = Math.min(Number(asked), left)
    left -= levels
    return isField === undefined
      ? `${'['.repeat(levels)}1${']'.repeat(levels)}`
      : `"a":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  })
}
