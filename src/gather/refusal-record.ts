import { fieldOf, stringOf } from '../core/json.ts'
import type { OwnerRef } from '../core/pod/pod-view.ts'
import { refusalsTold, type ToldRefusal } from '../core/rules/read-refusal.ts'

/** The field of Events that tells that a controller could not make a pod. */
export const FAILED_CREATE = 'FailedCreate'

/** That a pod which a controller wanted to make was refused by our rules, as Kubernetes told it in an Event. */
export interface RefusalRecord {
  readonly namespace: string
  /** The object that makes the pods: a ReplicaSet, a Job, a StatefulSet. Not proven to be there: whoever writes Events can name any. */
  readonly maker: OwnerRef
  readonly refusals: readonly ToldRefusal[]
}

/**
 * Reads an Event; undefined unless it tells of our refusal, so that others take no memory. How often and when is left out: a repeated
 * Event says nothing new. One that is about another namespace than its own is not believed. Never throws.
 */
export function readRefusalRecord(raw: unknown): RefusalRecord | undefined {
  if (stringOf(raw, 'reason') !== FAILED_CREATE) return undefined
  const namespace = stringOf(fieldOf(raw, 'metadata'), 'namespace')
  const about = fieldOf(raw, 'involvedObject')
  const maker = makerOf(about)
  if (namespace === undefined || maker === undefined) return undefined
  if (stringOf(about, 'namespace') !== namespace) return undefined
  const refusals = refusalsTold(stringOf(raw, 'message') ?? '')
  return refusals.length === 0 ? undefined : { namespace, maker, refusals }
}

/** What a reference may look like: as Kubernetes names things, so that no other text of an Event is taken in. */
const forms = {
  apiVersion: /^([a-z0-9.-]{1,253}\/)?v[a-z0-9]{1,30}$/,
  kind: /^[A-Z][A-Za-z0-9]{0,62}$/,
  name: /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
  uid: /^[A-Za-z0-9-]{1,64}$/
} as const

function makerOf(about: unknown): OwnerRef | undefined {
  const well = (field: keyof typeof forms): string | undefined => {
    const text = stringOf(about, field)
    return text !== undefined && forms[field].test(text) ? text : undefined
  }
  const [apiVersion, kind, name, uid] = [well('apiVersion'), well('kind'), well('name'), well('uid')]
  if (apiVersion === undefined || kind === undefined || name === undefined || uid === undefined)
    return undefined
  return { apiVersion, kind, name, uid }
}
