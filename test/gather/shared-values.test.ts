import t from 'tap'
import { SharedValues } from '../../src/gather/shared-values.ts'

t.test('equal values become the first of them', async (t) => {
  const shared = new SharedValues<Readonly<Record<string, number>>>(JSON.stringify)
  const first = { gpus: 1 }

  t.equal(shared.of(first), first)
  t.equal(shared.of({ gpus: 1 }), first)
  t.not(shared.of({ gpus: 2 }), first)
})

t.test('so many values at most are remembered', async (t) => {
  const shared = new SharedValues<{ readonly name: string }>(({ name }) => name, 2)
  const first = { name: 'a' }
  shared.of(first)
  shared.of({ name: 'b' })
  t.equal(shared.of({ name: 'a' }), first)

  shared.of({ name: 'c' })

  t.not(shared.of({ name: 'a' }), first)
})
