import t from 'tap'
import { ProjectionStore } from '../../src/kube/projection-store.ts'

interface Size {
  readonly size: number
}

function makeStore(equal?: (a: Size, b: Size) => boolean): {
  store: ProjectionStore<Size>
  faults: unknown[]
} {
  const faults: unknown[] = []
  return {
    store: new ProjectionStore<Size>({ equal, onListenerFault: (error) => faults.push(error) }),
    faults
  }
}

const a = { namespace: 'ml', name: 'a' }
const b = { namespace: 'ml', name: 'b' }
const c = { namespace: 'ml', name: 'c' }

t.test('an equal projection changes neither version nor identity', async (t) => {
  const { store } = makeStore()
  const held = { size: 1 }
  store.put(a, held)
  const list = store.list()

  store.put(a, { size: 1 })
  store.put(b, undefined)

  t.equal(store.version(), 1)
  t.equal(store.get(a), held)
  t.equal(store.list(), list)
})

t.test('compares with the function it is given', async (t) => {
  const { store } = makeStore((x, y) => Math.trunc(x.size) === Math.trunc(y.size))

  store.put(a, { size: 1.1 })
  store.put(a, { size: 1.9 })
  store.put(a, { size: 2 })

  t.equal(store.version(), 2)
})

t.test(
  'a replacement shows at once and whole, tells its listeners once and counts real differences',
  async (t) => {
    const { store } = makeStore()
    for (const key of [a, b, c]) store.put(key, { size: 1 })
    const seen: (number | undefined)[][] = []
    store.onChange(() =>
      seen.push([store.get(a)?.size, store.get(b)?.size, store.get(c)?.size, store.list().length])
    )

    const next = store.replacement()
    next.add(a, { size: 1 })
    next.add(b, { size: 2 })
    next.add({ namespace: '', name: 'a' }, { size: 9 })
    next.add(c, undefined)
    const versionBefore = store.version()
    const differences = next.commit()

    t.equal(versionBefore, 3)
    t.equal(differences, 3)
    t.equal(store.version(), 4)
    t.strictSame(seen, [[1, 2, undefined, 3]])
  }
)

t.test('a replacement by the same content is no change', async (t) => {
  const { store } = makeStore()
  store.put(a, { size: 1 })
  store.onChange(() => t.fail('no change to tell of'))

  const next = store.replacement()
  next.add(a, { size: 1 })

  t.equal(next.commit(), 0)
  t.equal(store.version(), 1)
})

t.test('hands on what a listener throws', async (t) => {
  const { store, faults } = makeStore()
  const planted = new Error('planted')
  store.onChange(() => {
    throw planted
  })

  store.put(a, { size: 1 })

  t.strictSame(faults, [planted])
})

t.test('the same function may listen twice and end once', async (t) => {
  const { store } = makeStore()
  let calls = 0
  const listener = () => {
    calls += 1
  }
  store.onChange(listener)
  const end = store.onChange(listener)

  store.put(a, { size: 1 })
  end()
  end()
  store.put(a, { size: 2 })

  t.equal(calls, 3)
})
