import { z } from 'zod'
import { toStructuralSchema } from './crd-schema.ts'
import { GpuExemption } from './gpu-exemption.ts'
import { GpuPolicy } from './gpu-policy.ts'
import { GpuWorkload } from './gpu-workload.ts'
import { API_GROUP, API_VERSION } from './names.ts'

/** One column of `kubectl get`; `priority` 1 shows it with `-o wide` only. */
interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly priority?: number
  readonly description?: string
}

interface KindSpec {
  readonly kind: string
  readonly plural: string
  readonly shortName: string
  readonly scope: 'Cluster' | 'Namespaced'
  readonly description: string
  readonly schema: z.ZodType
  readonly columns: readonly PrinterColumn[]
}

/**
 * A CustomResourceDefinition, as far as we write it.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/
 */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: Readonly<Record<string, unknown>>
    readonly versions: readonly CrdVersion[]
  }
}

interface CrdVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly schema: { readonly openAPIV3Schema: Readonly<Record<string, unknown>> }
  readonly subresources: { readonly status: Readonly<Record<string, never>> }
  readonly additionalPrinterColumns: readonly PrinterColumn[]
}

const text = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'string', jsonPath })
const count = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'integer', jsonPath })
const wide = (name: string, jsonPath: string): PrinterColumn => ({ ...text(name, jsonPath), priority: 1 })
const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

const kinds: readonly KindSpec[] = [
  {
    kind: 'GpuPolicy',
    plural: 'gpupolicies',
    shortName: 'gpup',
    scope: 'Cluster',
    description: 'How GPUs of a set of nodes are shared among pods of a set of namespaces.',
    schema: GpuPolicy,
    columns: [
      text('Mode', '.spec.mode'),
      text('Admission', '.status.admission'),
      count('Nodes', '.status.matchedNodes'),
      count('Candidates', '.status.candidates'),
      count('Freeable', '.status.freeableGpus'),
      text('Window', '.spec.window'),
      text('Ready', '.status.conditions[?(@.type=="Ready")].status'),
      age,
      wide('Next-Window', '.status.nextWindow.start'),
      wide('Reason', '.status.conditions[?(@.type=="Ready")].reason')
    ]
  },
  {
    kind: 'GpuWorkload',
    plural: 'gpuworkloads',
    shortName: 'gpuw',
    scope: 'Namespaced',
    description: 'What one workload was measured to need of a GPU, and what was decided about it.',
    schema: GpuWorkload,
    columns: [
      text('Kind', '.spec.workloadRef.kind'),
      text('Workload', '.spec.workloadRef.name'),
      text('Peak-Mem', '.status.containers[0].peakMemory'),
      text('Peak-SM', '.status.containers[0].peakCompute'),
      text('Now', '.status.containers[0].current'),
      text('Fits', '.status.containers[0].fits.resource'),
      text('Decision', '.status.decision.reason'),
      age,
      wide('Reason', '.status.decision.message'),
      wide('History', '.status.containers[0].history.coverage'),
      wide('Policy', '.status.policy')
    ]
  },
  {
    kind: 'GpuExemption',
    plural: 'gpuexemptions',
    shortName: 'gpuex',
    scope: 'Namespaced',
    description: 'A named exception from being given shares, or from isolation rules, until a date.',
    schema: GpuExemption,
    columns: [
      text('Rules', '.spec.rules'),
      text('Target', '.spec.workloadRef.name'),
      text('Expires', '.spec.expires'),
      text('Approved', '.status.conditions[?(@.type=="Approved")].status'),
      text('Active', '.status.conditions[?(@.type=="Active")].status'),
      age,
      wide('Reason', '.spec.reason'),
      wide('By', '.spec.approval.by')
    ]
  }
]

function openApiOf({ schema, description }: KindSpec): Readonly<Record<string, unknown>> {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' })
  const { properties } = toStructuralSchema(json)
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      ...(properties as Readonly<Record<string, unknown>>),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' }
    }
  }
}

function toDefinition(spec: KindSpec): CustomResourceDefinition {
  const { kind, plural, shortName, scope, columns } = spec
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['rightslice']
      },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: openApiOf(spec) },
          subresources: { status: {} },
          additionalPrinterColumns: columns
        }
      ]
    }
  }
}

/** Definitions of all custom resources, made from their zod schemas; the same on every call. */
export function toCustomResourceDefinitions(): readonly CustomResourceDefinition[] {
  return kinds.map(toDefinition)
}
