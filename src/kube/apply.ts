import { API_GROUP, API_VERSION, FIELD_MANAGER } from '../core/api/names.ts'
import type { JsonRecord } from '../core/json.ts'
import type { ObjectName, ObjectWriter, WrittenKind } from '../ports/object-writer.ts'
import type { KubeRequest } from './exchange.ts'
import { exists, sendWrite, type WriterParts } from './send-write.ts'

const plurals: Readonly<Record<WrittenKind, string>> = {
  GpuWorkload: 'gpuworkloads',
  GpuPolicy: 'gpupolicies',
  GpuExemption: 'gpuexemptions'
}

/**
 * Writes by server-side apply, which is safe to repeat: the same request twice leaves the same object.
 * @param manager name under which the fields are ours; two writers with different names share a status field by field
 * @source https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function createWriter(parts: WriterParts, manager = FIELD_MANAGER): ObjectWriter {
  const applyRequest = applying(manager)
  return {
    applySpec: async (object, spec, signal) => {
      await sendWrite(parts, applyRequest(object, '', { spec }), signal)
    },
    applyStatus: (object, status, signal) =>
      exists(sendWrite(parts, applyRequest(object, '/status', { status }), signal)),
    remove: async (object, signal) => {
      await exists(sendWrite(parts, { method: 'DELETE', path: pathOf(object) }, signal))
    }
  }
}

function pathOf({ kind, namespace, name }: ObjectName): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `/apis/${API_GROUP}/${API_VERSION}${scope}/${plurals[kind]}/${encodeURIComponent(name)}`
}

type Applying = (object: ObjectName, subresource: '' | '/status', fields: JsonRecord) => KubeRequest

function applying(manager: string): Applying {
  return (object, subresource, fields) => {
    const { kind, namespace, name } = object
    const body = {
      apiVersion: `${API_GROUP}/${API_VERSION}`,
      kind,
      metadata: { name, ...(namespace === '' ? {} : { namespace }) },
      ...fields
    }
    return serverSideApply(`${pathOf(object)}${subresource}`, body, manager)
  }
}

/** JSON is YAML, so it may be sent as what server-side apply asks for. */
export function serverSideApply(path: string, body: JsonRecord, fieldManager = FIELD_MANAGER): KubeRequest {
  return {
    method: 'PATCH',
    path,
    query: { fieldManager, force: true },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body
  }
}
