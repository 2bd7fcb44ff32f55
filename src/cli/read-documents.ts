import { parseAllDocuments } from 'yaml'
import { AppError } from '../core/errors.ts'

/** Documents that a file may hold at most; more is a mistake. */
const MAX_DOCUMENTS = 1000

/**
 * The objects of a YAML or JSON text, empty documents left out, lists of kind `List` opened.
 * @param source name of the text for messages
 * @throws AppError FILE_INVALID with line and column of the first fault
 */
export function readDocuments(text: string, source: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { prettyErrors: true })
  const list = Array.isArray(documents) ? documents : []
  const fault = list.flatMap(({ errors }) => errors)[0]
  if (fault !== undefined) {
    const at = fault.linePos?.[0]
    const place = at === undefined ? '' : `:${at.line}:${at.col}`
    throw new AppError('FILE_INVALID', `${source}${place}: ${fault.message.split('\n')[0] ?? ''}`, {
      cause: fault
    })
  }
  if (list.length > MAX_DOCUMENTS)
    throw new AppError('FILE_INVALID', `${source}: more than ${MAX_DOCUMENTS} documents`)
  const values: readonly unknown[] = list.map((document) => toValue(document, source))
  return values.filter((value) => value !== null && value !== undefined).flatMap(itemsOf)
}

function toValue(document: { toJS(): unknown }, source: string): unknown {
  try {
    return document.toJS()
  } catch (cause) {
    throw new AppError('FILE_INVALID', `${source}: its aliases do not resolve`, { cause })
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !('items' in value)) return [value]
  return Array.isArray(value.items) ? value.items : [value]
}
