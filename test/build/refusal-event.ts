import { isRecord, type JsonRecord } from '../../src/core/json.ts'

/** An Event as the ReplicaSet controller writes it when a pod of Deployment `app` was refused. */
export function aRefusalEvent(
  message: string,
  { name = 'app.17c', namespace = 'team-a', involvedObject, ...rest }: JsonRecord = {}
): JsonRecord {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name },
    involvedObject: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      namespace,
      name: 'app-6c9d7f8b5d',
      uid: 'rs-1',
      ...(isRecord(involvedObject) ? involvedObject : {})
    },
    reason: 'FailedCreate',
    type: 'Warning',
    message,
    count: 1,
    ...rest
  }
}

/** The message about a pod that our webhook refused with these lines. */
export function refusedByWebhook(...lines: readonly string[]): string {
  const words = [...lines, 'help: rightslice explain --reason CODE'].join('\n')
  return `Error creating: admission webhook "isolation.rightslice.dev" denied the request: ${words}`
}
