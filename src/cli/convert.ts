import { type Document, isMap, isScalar, isSeq, parseAllDocuments, type Scalar, type YAMLMap } from 'yaml'
import { adviseConversion } from '../core/api/convert.ts'
import { AppError } from '../core/errors.ts'
import { toEffectivePolicy } from '../core/policy/effective-policy.ts'
import { printFault } from '../core/policy/fault.ts'

/** Something that takes text, such as `process.stdout`. */
export interface TextSink {
  readonly write: (text: string) => unknown
}

/** A converted file. */
export interface ConvertedText {
  /** The same text, byte for byte, but for the `apiVersion` of its policies. */
  readonly text: string
  /** One line per policy that was changed. */
  readonly changed: readonly string[]
  /** What a person must look at, in sentences. */
  readonly warnings: readonly string[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Outcome {
  readonly edits: readonly Edit[]
  readonly changed: readonly string[]
  readonly warnings: readonly string[]
}

const nothing: Outcome = { edits: [], changed: [], warnings: [] }

function parseDocuments(text: string): readonly Document[] {
  const documents: readonly Document[] = parseAllDocuments(text).map((document) => document as Document)
  const fault = documents.flatMap(({ errors }) => errors)[0]
  if (fault !== undefined) {
    throw new AppError('FILE_INVALID', `neither YAML nor JSON: ${fault.message.replace(/\n[^]*/, '')}`, {
      cause: fault
    })
  }
  return documents
}

/** The objects of a document: itself, or the items of a list. */
function objectsOf({ contents }: Document): readonly YAMLMap[] {
  if (!isMap(contents)) {
    return []
  }
  const items = contents.get('items', true)
  return [contents, ...(isSeq(items) ? items.items.filter((item) => isMap(item)) : [])]
}

function readObject(document: Document, object: YAMLMap): unknown {
  try {
    return object.toJS(document)
  } catch (cause) {
    throw new AppError('FILE_INVALID', 'the aliases of the file do not resolve', { cause })
  }
}

const quotes: Readonly<Record<string, string>> = { QUOTE_DOUBLE: '"', QUOTE_SINGLE: "'", PLAIN: '' }

function editOf(value: unknown, to: string): Edit | undefined {
  const scalar: Scalar | undefined = isScalar(value) ? value : undefined
  const quote = quotes[scalar?.type ?? '']
  const range = scalar?.range
  return quote === undefined || !range
    ? undefined
    : { start: range[0], end: range[1], text: `${quote}${to}${quote}` }
}

/** What is wrong with the policy besides its `apiVersion`; bare fractions have a warning of their own. */
function otherFaults(object: unknown, subject: string, apiVersion: string): readonly string[] {
  const read = toEffectivePolicy(Object.assign({}, object, { apiVersion }))
  const faults = read.kind === 'valid' ? read.refused : read.faults
  return faults.map((fault) => `${subject}: ${printFault(fault)}`)
}

function convertObject(document: Document, node: YAMLMap): Outcome {
  const object = readObject(document, node)
  const advice = adviseConversion(object)
  if (advice === undefined) {
    return nothing
  }
  const { subject, from, to } = advice
  const warnings = [...advice.warnings, ...otherFaults(object, subject, to)]
  if (from === undefined || from === to) {
    return { ...nothing, warnings }
  }
  const edit = editOf(node.get('apiVersion', true), to)
  return edit === undefined
    ? {
        ...nothing,
        warnings: [
          `${subject}: apiVersion is not written in its place; change it to ${to} by hand`,
          ...warnings
        ]
      }
    : { edits: [edit], changed: [`${subject}: apiVersion ${from} is now ${to}`], warnings }
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, text: put }) => done.slice(0, start) + put + done.slice(end), text)
}

/**
 * Turns the `apiVersion` of every GpuPolicy of a file into ours and touches nothing else: comments, order, quotes and other
 * documents stay. Reads YAML of one or several documents, and JSON.
 * @throws AppError FILE_INVALID when the text is neither
 */
export function convertDocument(text: string): ConvertedText {
  const outcomes = parseDocuments(text).flatMap((document) =>
    objectsOf(document).map((node) => convertObject(document, node))
  )
  return {
    text: applyEdits(
      text,
      outcomes.flatMap(({ edits }) => edits)
    ),
    changed: outcomes.flatMap(({ changed }) => changed),
    warnings: outcomes.flatMap(({ warnings }) => warnings)
  }
}

/** What `rightslice convert` works with. */
export interface ConvertCommand {
  readonly file: string
  readonly stdout: TextSink
  readonly stderr: TextSink
  /** Gives the text of a file. */
  readonly readFile: (file: string) => Promise<string>
}

/**
 * `rightslice convert -f FILE`: prints the converted file on stdout, and on stderr what was changed and what to look at.
 * @throws AppError FILE_INVALID when the file is neither YAML nor JSON
 */
export async function runConvert({ file, stdout, stderr, readFile }: ConvertCommand): Promise<void> {
  const { text, changed, warnings } = convertDocument(await readFile(file))
  stdout.write(text)
  for (const line of changed) {
    stderr.write(`${file}: ${line}\n`)
  }
  for (const line of warnings) {
    stderr.write(`${file}: warning: ${line}\n`)
  }
  if (changed.length + warnings.length === 0) {
    stderr.write(`${file}: nothing to change\n`)
  }
}
