import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { callsOf, compareRights, rightsOf } from './rights.ts'

const USER = 'system:serviceaccount:own:worker'

function role(kind: 'Role' | 'ClusterRole', rules: readonly JsonRecord[]): readonly JsonRecord[] {
  const metadata = kind === 'Role' ? { name: 'worker', namespace: 'own' } : { name: 'worker' }
  const subjects = [{ kind: 'ServiceAccount', name: 'worker', namespace: 'own' }]
  return [
    { kind, metadata, rules },
    { kind: `${kind}Binding`, metadata, roleRef: { kind, name: 'worker' }, subjects }
  ]
}

const objects = [
  ...role('ClusterRole', [{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }]),
  ...role('Role', [
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['ca'], verbs: ['patch', 'create'] }
  ])
]

function line(verb: string, objectRef: JsonRecord | undefined, code = 200, username = USER): string {
  const requestURI = '/apis/some.group/v1?timeout=1s'
  return JSON.stringify({ verb, user: { username }, requestURI, objectRef, responseStatus: { code } })
}

const nodes = { resource: 'nodes', apiVersion: 'v1' }
const secret = { resource: 'secrets', namespace: 'own', name: 'ca' }
const everything = [line('list', nodes), line('watch', nodes), line('patch', secret, 201)]

function compare(...lines: readonly string[]) {
  return compareRights(rightsOf(objects, 'worker'), callsOf(`${lines.join('\n')}\n`, USER))
}

t.test('an account that uses all that it has, and no more, is as it should be', async (t) => {
  t.strictSame(compare(...everything, line('get', undefined)), {
    surplus: [],
    lack: [],
    refused: [],
    discovery: ['get /apis/some.group/v1']
  })
})

t.test('a right that nobody used is a surplus', async (t) => {
  t.strictSame(compare(line('list', nodes), line('patch', secret)).surplus, [
    'create /secrets ca in own',
    'watch /nodes'
  ])
})

t.test('what others do does not count as used', async (t) => {
  t.strictSame(compare(...everything.slice(1), line('list', nodes, 200, 'other')).surplus, ['list /nodes'])
})

for (const { name, call, lack } of [
  { name: 'another verb', call: line('delete', nodes), lack: 'delete /nodes' },
  {
    name: 'a subresource',
    call: line('list', { ...nodes, subresource: 'status' }),
    lack: 'list /nodes/status'
  },
  { name: 'another group', call: line('list', { ...nodes, apiGroup: 'x.dev' }), lack: 'list x.dev/nodes' },
  { name: 'another name', call: line('patch', { ...secret, name: 'b' }), lack: 'patch /secrets b in own' },
  {
    name: 'another namespace',
    call: line('patch', { ...secret, namespace: 'b' }),
    lack: 'patch /secrets ca in b'
  }
])
  t.test(`${name} is a lack`, async (t) => {
    t.strictSame(compare(...everything, call), { surplus: [], lack: [lack], refused: [], discovery: [] })
  })

t.test('a right that the API server refused is told, whoever asked for it', async (t) => {
  t.strictSame(compare(...everything, line('patch', secret, 403)).refused, ['patch /secrets ca in own'])
})
