import t from 'tap'
import { packReplicas } from '../../../src/core/candidates/pack.ts'
import { jointPeakMiB } from '../../../src/core/usage/estimator/joint-peak.ts'

const cases: readonly {
  readonly name: string
  readonly needsMiB: readonly number[]
  readonly most: number
  readonly want: ReturnType<typeof packReplicas>
}[] = [
  { name: 'nobody', needsMiB: [], most: 4, want: { replicas: 0, cards: 0, neededMiB: 0 } },
  { name: 'nobody may share', needsMiB: [1, 1], most: 0, want: { replicas: 0, cards: 0, neededMiB: 0 } },
  {
    name: 'the two largest fit',
    needsMiB: [4, 6, 1],
    most: 4,
    want: { replicas: 2, cards: 2, neededMiB: 10 }
  },
  {
    name: 'more than may share',
    needsMiB: [1, 1, 1, 1],
    most: 3,
    want: { replicas: 3, cards: 2, neededMiB: 3 }
  },
  { name: 'not even one fits', needsMiB: [11], most: 4, want: { replicas: 0, cards: 0, neededMiB: 0 } },
  {
    name: 'fewer pods than may share',
    needsMiB: [1, 2],
    most: 4,
    want: { replicas: 2, cards: 1, neededMiB: 3 }
  }
]
for (const { name, needsMiB, most, want } of cases) {
  t.test(`pods on cards of 10 MiB: ${name}`, async (t) => {
    const packed = packReplicas(needsMiB, { cardMiB: 10, most })

    t.strictSame(packed, want)
    const alone = { headroomFactor: 1, contextMiB: 0 }
    t.equal(packed.neededMiB, jointPeakMiB(needsMiB, packed.replicas, alone), 'by the rule of the estimator')
  })
}
