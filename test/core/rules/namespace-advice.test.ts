import t from 'tap'
import { namespaceAdvice } from '../../../src/core/rules/namespace-advice.ts'

const level = (value: string) => ({ 'rightslice.dev/rightsize': value })
const shared = (value: string) => ({ 'rightslice.dev/isolation': value })
const change = { name: 'search', before: {}, after: {}, isSystem: false, workloadCount: 0 }

for (const { name, says, ...given } of [
  { name: 'nothing of ours changes', before: { a: 'b' }, after: { a: 'c' }, says: [] },
  {
    name: 'it opts in to be told',
    after: level('warn'),
    says: [/"search" is now warn: new pods stay as they are/]
  },
  {
    name: 'it opts in with history',
    after: level('enforce'),
    workloadCount: 4,
    says: [/is now enforce/, /4 workloads have a measured use: kubectl get gpuw -n search/]
  },
  {
    name: 'it opts out',
    before: level('enforce'),
    after: {},
    workloadCount: 4,
    says: [/is now off: pods are neither/]
  },
  {
    name: 'a system namespace',
    after: level('warn'),
    isSystem: true,
    says: [/is now warn/, /nothing is done in it/]
  },
  {
    name: 'a value that means nothing',
    after: level('True'),
    says: [/rightsize="True" counts as off; known are off, warn, enforce/]
  },
  { name: 'a value that meant nothing before', before: level('True'), after: level('True'), says: [] },
  { name: 'sharing is allowed', after: shared('shared-ok'), says: [/may share GPUs/] },
  {
    name: 'sharing ends',
    before: shared('shared-ok'),
    after: shared('hardware'),
    says: [/may not share GPUs any more/]
  },
  { name: 'a class that means nothing', after: shared('soft'), says: [/isolation="soft" counts as hardware/] }
]) {
  t.test(`[RULE30] ${name}`, async (t) => {
    const lines = namespaceAdvice({ ...change, ...given })

    t.equal(lines.length, says.length)
    t.match(lines, says)
    for (const line of lines) t.match(line, /^rightslice: /)
  })
}
