import { FIELD_MANAGER, sliceLabel } from '../core/api/names.ts'
import {
  claimTemplateSpec,
  RETIRED,
  templateLabel,
  templateName
} from '../core/cluster/devices/claim-template.ts'
import type { TemplateName, TemplateWriter } from '../ports/template-writer.ts'
import { serverSideApply } from './apply.ts'
import { exists, sendWrite, type WriterParts } from './send-write.ts'

const GROUP_VERSION = 'resource.k8s.io/v1'

/** Writes ResourceClaimTemplates. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-template-v1/ */
export function claimTemplateWriter(parts: WriterParts): TemplateWriter {
  return {
    apply: async (namespace, asks, signal) => {
      const name = templateName(asks.profile)
      const labels = {
        'app.kubernetes.io/managed-by': 'rightslice',
        [sliceLabel]: templateLabel(asks.profile)
      }
      const request = serverSideApply(pathOf({ namespace, name }), {
        apiVersion: GROUP_VERSION,
        kind: 'ResourceClaimTemplate',
        metadata: { namespace, name, labels },
        spec: claimTemplateSpec(asks)
      })
      await sendWrite(parts, request, signal)
    },
    retire: async (template, signal) => {
      const body = { metadata: { labels: { [sliceLabel]: RETIRED } } }
      const headers = { 'content-type': 'application/merge-patch+json' }
      const query = { fieldManager: FIELD_MANAGER }
      await exists(
        sendWrite(parts, { method: 'PATCH', path: pathOf(template), query, headers, body }, signal)
      )
    },
    remove: async (template, signal) => {
      await exists(sendWrite(parts, { method: 'DELETE', path: pathOf(template) }, signal))
    }
  }
}

function pathOf({ namespace, name }: TemplateName): string {
  return `/apis/${GROUP_VERSION}/namespaces/${encodeURIComponent(namespace)}/resourceclaimtemplates/${encodeURIComponent(name)}`
}
