import { fieldOf, listOf, stringMapOf, stringOf } from '../core/json.ts'

/** Labels of a Service and its ports, for the search for a Prometheus. */
export interface ServiceRecord {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly ports: readonly { readonly name: string | undefined; readonly port: number }[]
}

/** Reads a Service; undefined without a name. */
export function readServiceRecord(raw: unknown): ServiceRecord | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  if (name === undefined) return undefined
  return {
    namespace: stringOf(metadata, 'namespace') ?? '',
    name,
    labels: stringMapOf(metadata, 'labels'),
    ports: listOf(fieldOf(raw, 'spec'), 'ports').flatMap((entry) => {
      const port = fieldOf(entry, 'port')
      return typeof port === 'number' ? [{ name: stringOf(entry, 'name'), port }] : []
    })
  }
}
