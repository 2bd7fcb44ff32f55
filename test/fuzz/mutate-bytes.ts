import type { Random } from './random.ts'

/** Changes the bytes of a text, knowing nothing of what they mean. */
type ByteMutation = (bytes: Buffer, random: Random) => Buffer

/** Bytes that mean something to JSON, are no UTF-8 on their own, or begin a character that does not end. */
const oddBytes = [
  0x00, 0x0a, 0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x3a, 0x2d, 0x30, 0x65, 0x80, 0xc0, 0xed, 0xf4, 0xff
] as const

/** Texts that a splice puts in. */
const tokens = [
  '"__proto__":{},',
  '"constructor":{"prototype":{}},',
  '\\ud800',
  '\\u0000',
  '1e999',
  '-0',
  '\ufeff',
  '/*x*/',
  'NaN',
  '"nvidia.com/gpu":"1",',
  '{"a":[',
  ']}',
  '\r\n\r\n',
  '\u2028'
] as const

const mutations: readonly [ByteMutation, ...ByteMutation[]] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes)
    const at = random.below(bytes.length)
    if (bytes.length > 0) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
    return changed
  },
  (bytes, random) => insertAt(bytes, random.below(bytes.length + 1), Buffer.from([random.pick(oddBytes)])),
  (bytes, random) => insertAt(bytes, random.below(bytes.length + 1), Buffer.from(random.pick(tokens))),
  (bytes, random) => {
    const { start, end } = part(bytes, random)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const { start, end } = part(bytes, random)
    const times = 1 + random.length(Math.max(1, Math.floor(100_000 / (end - start + 1))))
    return insertAt(
      bytes,
      end,
      Buffer.concat(Array.from({ length: times }, () => bytes.subarray(start, end)))
    )
  },
  (bytes, random) => {
    const { start, end } = part(bytes, random)
    return insertAt(bytes, random.below(bytes.length + 1), bytes.subarray(start, end))
  }
]

/** One to four such changes. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let changed = bytes
  for (let left = 1 + random.below(4); left > 0; left -= 1) changed = random.pick(mutations)(changed, random)
  return changed
}

function part(bytes: Buffer, random: Random): { readonly start: number; readonly end: number } {
  const start = random.below(bytes.length + 1)
  return { start, end: Math.min(bytes.length, start + random.length(2000)) }
}

function insertAt(bytes: Buffer, place: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place)])
}
