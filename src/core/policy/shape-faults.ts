import type { z } from 'zod'
import { type Fault, printPath } from './fault.ts'
import { valueAt } from './field-readers.ts'

type Issue = z.core.$ZodIssue

/** Every type that our schemas demand. */
const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'a map of texts'
}

function faultAt(root: unknown, path: readonly PropertyKey[], message: string): Fault {
  return { field: printPath(path), value: valueAt(root, path), message }
}

function bound(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const limit = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  return issue.origin === 'number' ? `must be ${limit}` : `must have a length of ${limit}`
}

function sentence(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected]}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
    case 'too_big':
      return bound(issue)
    case 'invalid_format':
      return `must match ${String(issue.pattern)}`
    case 'invalid_union':
      return 'must be a number or a text'
    default:
      return issue.message
  }
}

/** The faults that zod found in `root`, one per field and unknown key, each with the value that is there. */
export function toFaults(root: unknown, issues: readonly Issue[]): readonly Fault[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => faultAt(root, [...issue.path, key], 'is not a field that we know'))
      : [faultAt(root, issue.path, sentence(issue))]
  )
}
