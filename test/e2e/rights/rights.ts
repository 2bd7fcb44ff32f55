import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf, stringsOf } from '../../../src/core/json.ts'

/** One thing that an account may do, or did. */
export interface Right {
  readonly verb: string
  /** `group/resource`, with `/subresource` where there is one. */
  readonly resource: string
  /** Name of the one object; '' for any, or where the request named none. */
  readonly name: string
  /** '' for the whole cluster. */
  readonly namespace: string
}

/** What the audit log tells of one request. */
interface Call {
  readonly right: Right
  readonly code: number
  /** Path, of a request for no resource. */
  readonly path: string
}

/** What the roles that are bound to a service account let it do, one entry a verb, resource and name. */
export function rightsOf(objects: readonly JsonRecord[], account: string): readonly Right[] {
  const bindings = objects.filter(
    (object) =>
      /^(Cluster)?RoleBinding$/.test(stringOf(object, 'kind') ?? '') &&
      listOf(object, 'subjects').some((subject) => stringOf(subject, 'name') === account)
  )
  return bindings.flatMap((binding) => {
    const role = objects.find(
      (object) =>
        fieldOf(object, 'kind') === fieldAt(binding, 'roleRef', 'kind') &&
        fieldAt(object, 'metadata', 'name') === fieldAt(binding, 'roleRef', 'name')
    )
    const namespace = stringOf(fieldOf(binding, 'metadata'), 'namespace') ?? ''
    return listOf(role, 'rules').flatMap((rule) => rightsOfRule(rule, namespace))
  })
}

function rightsOfRule(rule: unknown, namespace: string): readonly Right[] {
  const names = stringsOf(rule, 'resourceNames')
  return stringsOf(rule, 'apiGroups').flatMap((group) =>
    stringsOf(rule, 'resources').flatMap((resource) =>
      stringsOf(rule, 'verbs').flatMap((verb) =>
        (names.length === 0 ? [''] : names).map((name) => ({
          verb,
          resource: `${group}/${resource}`,
          name,
          namespace
        }))
      )
    )
  )
}

/** What a user asked for, by the lines of an audit log; a patch that made its object needed the verb create besides. */
export function callsOf(auditLog: string, user: string): readonly Call[] {
  return auditLog.split('\n').flatMap((line) => {
    if (line === '') return []
    const event: unknown = JSON.parse(line)
    if (fieldAt(event, 'user', 'username') !== user) return []
    const call = callOf(event)
    const isMade = call.right.verb === 'patch' && call.code === 201
    return isMade ? [call, { ...call, right: { ...call.right, verb: 'create' } }] : [call]
  })
}

function callOf(event: unknown): Call {
  const object = fieldOf(event, 'objectRef')
  const text = (key: string): string => stringOf(object, key) ?? ''
  const below = text('subresource') === '' ? '' : `/${text('subresource')}`
  return {
    right: {
      verb: stringOf(event, 'verb') ?? '',
      resource: `${text('apiGroup')}/${text('resource')}${below}`,
      name: text('name'),
      namespace: text('namespace')
    },
    code: Number(fieldAt(event, 'responseStatus', 'code')),
    path: object === undefined ? new URL(stringOf(event, 'requestURI') ?? '', 'https://api').pathname : ''
  }
}

/** What was granted and never used, what was done without a right of the roles, and what was refused. */
export interface Comparison {
  readonly surplus: readonly string[]
  readonly lack: readonly string[]
  readonly refused: readonly string[]
  /** Paths that everybody may read, by the roles that Kubernetes comes with. */
  readonly discovery: readonly string[]
}

/** Compares what roles grant with what was called; every list is sorted. */
export function compareRights(rights: readonly Right[], calls: readonly Call[]): Comparison {
  const ofResources = calls.filter(({ path }) => path === '')
  const used = ofResources.map(({ right }) => right)
  const isCovered = (call: Right): boolean => rights.some((right) => covers(right, call))
  return {
    surplus: textsOf(rights.filter((right) => !used.some((call) => covers(right, call)))),
    lack: textsOf(used.filter((call) => !isCovered(call))),
    refused: textsOf(ofResources.filter(({ code }) => code === 403).map(({ right }) => right)),
    discovery: [
      ...new Set(calls.flatMap(({ path, right }) => (path === '' ? [] : [`${right.verb} ${path}`])))
    ].sort()
  }
}

function covers(right: Right, call: Right): boolean {
  return (
    right.verb === call.verb &&
    right.resource === call.resource &&
    ['', call.name].includes(right.name) &&
    ['', call.namespace].includes(right.namespace)
  )
}

function textsOf(rights: readonly Right[]): readonly string[] {
  return [...new Set(rights.map(textOf))].sort()
}

function textOf({ verb, resource, name, namespace }: Right): string {
  const where = namespace === '' ? '' : ` in ${namespace}`
  return `${verb} ${resource}${name === '' ? '' : ` ${name}`}${where}`
}
