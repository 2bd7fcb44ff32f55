import { ownAnnotations } from '../../core/api/names.ts'
import { isRecord } from '../../core/json.ts'
import { segmentsOf } from '../../core/patch/operation.ts'

/** One operation of a patch as lines for people, an entry of a map each; our own sentence is left out, since it is told already. */
export function renderOperation({ op, path, value }: Readonly<Record<string, unknown>>): readonly string[] {
  const place = segmentsOf(String(path))
  if (op === 'remove') return [`removes ${placeText(place)}`]
  if (isRecord(value) && place.length === 2)
    return Object.entries(value).flatMap(([key, entry]) => entryLines([...place, key], entry))
  return entryLines(place, value)
}

function entryLines(place: readonly string[], value: unknown): readonly string[] {
  if (place.includes(ownAnnotations.explain)) return []
  return [`${placeText(place)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`]
}

/** `metadata.annotations[rightslice.dev/decision]`; a name with dots or slashes stands in brackets. */
function placeText(place: readonly string[]): string {
  return place.reduce((text, part) => {
    if (/^[A-Za-z]+$/.test(part)) return text === '' ? part : `${text}.${part}`
    return `${text}[${part === '-' ? 'last' : part}]`
  }, '')
}
