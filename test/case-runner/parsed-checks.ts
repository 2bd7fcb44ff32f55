import { isDeepStrictEqual } from 'node:util'
import { namespaceLabels, userAnnotations } from '../../src/core/api/names.ts'
import { withHeadroom } from '../../src/core/decision/need.ts'
import { readWishes } from '../../src/core/decision/wishes.ts'
import { migResourceName } from '../../src/core/gpu/resource-name.ts'
import { isRecord, type JsonRecord, listOf, stringMapOf } from '../../src/core/json.ts'
import { enforcementOf } from '../../src/core/policy/enforcement.ts'
import { parseHeadroom } from '../../src/core/policy/headroom.ts'
import { parseProfileList } from '../../src/core/policy/profile-list.ts'
import { parseWindow } from '../../src/core/policy/window.ts'
import { windowAt } from '../../src/core/policy/window-at.ts'
import { type CaseFile, recordOr } from './case-file.ts'

/** Reads one entry of `parsed` as the product does; `error` where it is refused. */
type Reader = (entry: JsonRecord, file: CaseFile) => unknown

const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease']

/** Our spelling of the words that the cases use for a product's own label and opt-out. */
const optInWords: Readonly<Record<string, string>> = { true: 'enforce', false: 'off' }
const optOutWords: Readonly<Record<string, string>> = { true: 'never', false: 'any' }

const readers: Readonly<Record<string, Reader>> = {
  headroom: ({ value }) => {
    const read = parseHeadroom(value)
    return read.ok ? read.ratio : 'error'
  },
  profiles: ({ value }) => {
    const { profiles, refused } = parseProfileList(Array.isArray(value) ? value : [value])
    return profiles.length === 0 && !Array.isArray(value) && refused.length > 0 ? 'error' : profiles
  },
  window: ({ value, at }) => {
    const read = parseWindow(value)
    if (!read.ok) return 'error'
    const state = typeof at === 'string' ? windowAt([read.window], Date.parse(at)) : undefined
    return state === undefined
      ? 'read'
      : { opens: isoSeconds(state.opensMs), closes: isoSeconds(state.closesMs) }
  },
  namespace: ({ value }, file) => {
    const described = listOf(file.input, 'namespaces').find((entry) => recordOr(entry).name === value)
    const label = stringMapOf(described, 'labels').KEY
    const own = label === undefined ? {} : { [namespaceLabels.rightsize]: optInWords[label] ?? label }
    return systemNamespaces.includes(String(value)) || enforcementOf(own) === 'off' ? 'out' : 'in'
  },
  pod: ({ value }, file) => {
    const pods = Object.entries(file.input)
      .filter(([key]) => key.startsWith('pods'))
      .flatMap(([, list]) => (Array.isArray(list) ? list : []))
    const word = stringMapOf(
      pods.find((entry) => recordOr(entry).name === value),
      'annotations'
    ).OUT
    const reading = readWishes({
      annotations: word === undefined ? {} : { [userAnnotations.sharing]: optOutWords[word] ?? word }
    })
    return !reading.ok || reading.wishes.sharing === 'never' ? 'leave' : 'as-usual'
  }
}

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** Which reader a case is about, told by the form of its answers. */
function readerFor(entry: JsonRecord, all: readonly JsonRecord[]): string | undefined {
  return (
    formOf(entry.gives) ??
    formOf(entry.or) ??
    all.map(({ gives }) => formOf(gives)).find((form) => form !== undefined)
  )
}

function formOf(answer: unknown): string | undefined {
  if (typeof answer === 'number') return 'headroom'
  if (Array.isArray(answer)) return 'profiles'
  if (isRecord(answer)) return 'window'
  if (answer === 'in' || answer === 'out') return 'namespace'
  return answer === 'leave' || answer === 'as-usual' ? 'pod' : undefined
}

/** Everything in `parsed` that does not hold. */
export function runParsedChecks(file: CaseFile): readonly string[] {
  const entries = listOf(file.check, 'parsed').map(recordOr)
  return entries.flatMap((entry) => {
    const name = readerFor(entry, entries)
    const read = name === undefined ? undefined : readers[name]
    if (read === undefined) return [`parsed: nothing tells how to read ${JSON.stringify(entry.value)}`]
    const got = read(entry, file)
    const right = [entry.gives, entry.or].some((want) => want !== undefined && isDeepStrictEqual(want, got))
    const wrong = right
      ? []
      : [
          `parsed ${JSON.stringify(entry.value)}: want ${JSON.stringify(entry.gives)}, got ${JSON.stringify(got)}`
        ]
    return [...wrong, ...extras(entry, got, (value) => read({ ...entry, value }, file))]
  })
}

function extras(entry: JsonRecord, got: unknown, readAgain: (value: unknown) => unknown): readonly string[] {
  const { value, resource, refused, sameAs, peakMiB, neededMiB } = entry
  const checks: readonly (readonly [string, unknown, unknown])[] = [
    ['resource', resource, Array.isArray(got) ? migResourceName(String(got[0])) : undefined],
    [
      'refused',
      refused,
      parseProfileList(Array.isArray(value) ? value : [value]).refused.map((entry) => entry.value)
    ],
    ['sameAs', sameAs === undefined ? undefined : readAgain(sameAs), got],
    [
      'neededMiB',
      neededMiB,
      typeof got === 'number' && typeof peakMiB === 'number' ? withHeadroom(peakMiB, got) : undefined
    ]
  ]
  return checks.flatMap(([what, want, have]) =>
    want === undefined || isDeepStrictEqual(want, have)
      ? []
      : [
          `parsed ${JSON.stringify(value)}, ${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(have)}`
        ]
  )
}
