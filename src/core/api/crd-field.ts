import { z } from 'zod'

/** How a text must look, with the sentence that the API server answers with when it does not. */
export interface TextRule {
  /** Regular expression that RE2 and JavaScript read alike; holds no quote and no backslash. */
  readonly pattern: string
  /** Longest text, in characters; keeps the API server's estimate of the rule's cost low. */
  readonly maxLength: number
  readonly message: string
}

/** A rule in Kubernetes' expression language on a field of a custom resource. */
export interface CelRule {
  readonly rule: string
  readonly message: string
  readonly fieldPath?: string
}

/** Schema annotation: rules that the API server checks after the shape. */
export function celRules(...rules: readonly CelRule[]): Record<string, unknown> {
  return { 'x-kubernetes-validations': rules }
}

/** Schema annotations of a text field whose form the API server checks and the core parses. */
export function textField(
  description: string,
  { pattern, maxLength, message }: TextRule
): Record<string, unknown> {
  return { description, maxLength, ...celRules({ rule: `self.matches(r'${pattern}')`, message }) }
}

/** Schema annotations of a field that takes a whole number or a text of the rule's form. */
export function intOrTextField(description: string, { pattern, message }: TextRule): Record<string, unknown> {
  const rule = `string(self).matches(r'${pattern}')`
  return { description, 'x-kubernetes-int-or-string': true, ...celRules({ rule, message }) }
}

/** Schema annotation: list entries are told apart by these fields, so that several writers can own entries. */
export function listMap(...keys: readonly string[]): Record<string, unknown> {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }
}

/** Schema annotation: list entries are unique values. */
export const listSet = { 'x-kubernetes-list-type': 'set' } as const

/** Schema of a time in RFC 3339 form. */
export function timeField(description: string): z.ZodString {
  return z.string().meta({ description, format: 'date-time' })
}

/**
 * One condition of a status.
 * @source https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#condition-v1-meta
 */
const Condition = z
  .object({
    type: z.string().max(316).describe('What the condition is about, one CamelCase word.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
    reason: z.string().min(1).max(1024).describe('Why, one CamelCase word.'),
    message: z.string().max(32_768).describe('Why, in a sentence.'),
    lastTransitionTime: timeField('When the status last changed.'),
    observedGeneration: z.int().min(0).optional().describe('Generation of the spec that was looked at.')
  })
  .describe('One condition of the object.')

/** Schema of the conditions of a status, one per type. */
export const Conditions = z
  .array(Condition)
  .optional()
  .meta({ description: 'Conditions of the object, one per type.', ...listMap('type') })
