import { headroomRule } from './gpu-policy-rules.ts'
import { API_GROUP, API_VERSION } from './names.ts'

/** What must change in one GpuPolicy that was written for another API group or version. */
export interface Conversion {
  /** `GpuPolicy/NAME`, for messages. */
  readonly subject: string
  /** The `apiVersion` that it has; undefined when it has none that is a text. */
  readonly from: string | undefined
  readonly to: string
  /** What a person must change by hand, in sentences. */
  readonly warnings: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/**
 * The API server takes whole numbers and texts: a bare `0.2` is refused there, although files may hold it. Quotes make `0.2`
 * right, and leave `1.2` wrong: that could be a factor or a percentage.
 */
function headroomWarnings(subject: string, spec: unknown): readonly string[] {
  const { headroom } = fieldsOf(fieldsOf(spec)['mig'])
  if (typeof headroom !== 'number' || Number.isInteger(headroom)) {
    return []
  }
  const advice = new RegExp(headroomRule.pattern).test(String(headroom))
    ? `; write it as a string: headroom: "${headroom}"`
    : ', and as a string too; write the percentage that is added to the peak, such as headroom: 20%'
  return [
    `${subject}: spec.mig.headroom: ${headroom} is a bare fraction, which the API server refuses${advice}`
  ]
}

/**
 * What `document` needs to become a policy of ours.
 * @returns undefined when it is no GpuPolicy; equal `from` and `to` when it is one of ours already
 */
export function adviseConversion(document: unknown): Conversion | undefined {
  const { kind, apiVersion, metadata, spec } = fieldsOf(document)
  if (kind !== 'GpuPolicy') {
    return undefined
  }
  const { name } = fieldsOf(metadata)
  const subject = `GpuPolicy/${typeof name === 'string' ? name : '(no name)'}`
  const from = typeof apiVersion === 'string' ? apiVersion : undefined
  const to = `${API_GROUP}/${API_VERSION}`
  const missing =
    from === undefined ? [`${subject}: apiVersion is missing or no text; write apiVersion: ${to}`] : []
  return { subject, from, to, warnings: [...missing, ...headroomWarnings(subject, spec)] }
}
