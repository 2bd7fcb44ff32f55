import t from 'tap'
import { readNode } from '../../src/core/cluster/node-view.ts'
import { nodeReader } from '../../src/gather/node-reader.ts'
import { aHamiNode, aMigNode } from '../build/node.ts'

t.test('gives what readNode gives', async (t) => {
  const raw = aMigNode()

  const node = nodeReader()(raw)

  t.strictSame(node, readNode(raw))
  t.equal(Object.getPrototypeOf(node?.labels), null)
  t.equal(nodeReader()({ metadata: {} }), undefined)
})

t.test('a label may have any name, and takes nothing from a prototype', async (t) => {
  const labels = JSON.parse('{"__proto__":"a","constructor":"b","n":7}')

  const node = nodeReader()({ metadata: { name: 'n', labels } })

  t.strictSame(Object.entries(node?.labels ?? {}), [
    ['__proto__', 'a'],
    ['constructor', 'b']
  ])
  t.equal(node?.labels['toString'], undefined)
})

t.test('what nodes have in common is there once', async (t) => {
  const read = nodeReader()

  const [first, second] = [read(aMigNode()), read(aMigNode())]

  const [here, there] = [read(aHamiNode({ name: 'a' })), read(aHamiNode({ name: 'b' }))]

  t.ok(here?.hami !== undefined && here.hami === there?.hami)
  t.ok(first !== undefined && first.taints === second?.taints && first.allocatable === second?.allocatable)
})
