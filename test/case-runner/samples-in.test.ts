import t from 'tap'
import { samplesIn, toSeconds } from './samples-in.ts'

const labels = { gpu: '0', pod: 'p' }
const used = 'DCGM_FI_DEV_FB_USED'

const forms = [
  {
    name: 'a line of an exposition',
    input: { text: `# HELP ${used} x\n${used}{gpu="0",pod="p"} 5310\n` },
    want: [['5310', undefined]]
  },
  {
    name: 'a line with a time in milliseconds',
    input: { text: `${used}{gpu="0",pod="p"} 5310 1767225600000` },
    want: [['5310', 1_767_225_600]]
  },
  {
    name: 'a line with the name among the labels',
    input: { series: [`{__name__="${used}", gpu="0", pod="p"} 9.2e+18`] },
    want: [['9.2e+18', undefined]]
  },
  {
    name: 'a vector',
    input: {
      result: { resultType: 'vector', result: [{ metric: { __name__: used, ...labels }, value: [1, '7'] }] }
    },
    want: [['7', 1]]
  },
  {
    name: 'a matrix, in a whole answer',
    input: {
      answer: {
        status: 'success',
        data: {
          result: [
            {
              metric: { __name__: used, ...labels },
              values: [
                [1, '7'],
                [2, 'NaN']
              ]
            }
          ]
        }
      }
    },
    want: [
      ['7', 1],
      ['NaN', 2]
    ]
  },
  {
    name: 'labels beside a value',
    input: { any: [{ name: used, labels: { gpu: 0, pod: 'p' }, value: 7 }] },
    want: [['7', undefined]]
  },
  {
    name: 'labels beside samples',
    input: { any: [{ labels: { __name__: used, ...labels }, samples: [{ t: 5, v: '7' }, [6, 8]] }] },
    want: [
      ['7', 5],
      ['8', 6]
    ]
  }
]

for (const { name, input, want } of forms) {
  t.test(`samples of a case: ${name}`, async (t) => {
    t.strictSame(
      samplesIn(input),
      want.map(([text, atSeconds]) => ({ name: used, labels, text, atSeconds }))
    )
  })
}

t.test('bare values with times are samples without labels', async (t) => {
  t.strictSame(samplesIn({ samples: [{ t: 0, v: '4100' }] }), [
    { name: '', labels: {}, text: '4100', atSeconds: 0 }
  ])
})

t.test('words, policies and pods are no samples, and escapes in labels are read', async (t) => {
  t.strictSame(
    samplesIn({
      need: 'next pod of StatefulSet/s asks for nvidia.com/gpu 1 again',
      policy: { window: 'x 1' }
    }),
    []
  )
  t.strictSame(samplesIn({ a: 'm{b="c\\"d\\n"} 1' })[0]?.labels, { b: 'c"d\n' })
})

t.test('times are seconds, milliseconds or dates', async (t) => {
  t.equal(toSeconds('2026-01-01T00:00:00Z'), 1_767_225_600)
  t.equal(toSeconds(1_767_225_600_000), 1_767_225_600)
  t.equal(toSeconds('60'), 60)
  t.equal(toSeconds('soon'), undefined)
  t.equal(toSeconds(undefined), undefined)
})
