import { z } from 'zod'

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

const LabelRequirement = z
  .strictObject({
    key: z.string().max(317).describe('Label key that the requirement is about.'),
    operator: z
      .enum(operators)
      .describe('How the key relates to the values: In, NotIn, Exists or DoesNotExist.'),
    values: z
      .array(z.string().max(63).describe('One value of the label.'))
      .max(64)
      .optional()
      .describe('Values for In and NotIn; absent for Exists and DoesNotExist.')
  })
  .refine(({ operator, values = [] }) => needsValues(operator) === values.length > 0, {
    path: ['values'],
    message: 'must have entries for In and NotIn, and none for Exists and DoesNotExist'
  })
  .meta({
    description: 'One requirement on a label.',
    'x-kubernetes-validations': [
      {
        rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
        message: 'must have entries for In and NotIn, and none for Exists and DoesNotExist',
        fieldPath: '.values'
      }
    ]
  })

function needsValues(operator: (typeof operators)[number]): boolean {
  return operator === 'In' || operator === 'NotIn'
}

/**
 * Kubernetes' label selector: every label and every requirement must hold; an empty one matches everything.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/label-selector/
 */
export const LabelSelector = z.strictObject({
  matchLabels: z
    .record(z.string(), z.string().max(63).describe('Value that the label must have.'))
    .optional()
    .describe('Labels that must be there with exactly these values.'),
  matchExpressions: z
    .array(LabelRequirement)
    .max(32)
    .optional()
    .describe('Requirements on labels that must all hold.')
})

/** Kubernetes' label selector. */
export type LabelSelector = z.infer<typeof LabelSelector>

type Labels = Readonly<Record<string, string>>

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

function meetsRequirement(
  labels: Labels,
  { key, operator, values = [] }: z.infer<typeof LabelRequirement>
): boolean {
  const value = labelOf(labels, key)
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
  }
}

/** Whether `labels` satisfy `selector`; an absent key satisfies `NotIn`, as in Kubernetes. */
export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  const wanted = Object.entries(selector.matchLabels ?? {})
  return (
    wanted.every(([key, value]) => labelOf(labels, key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meetsRequirement(labels, requirement))
  )
}
