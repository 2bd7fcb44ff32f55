import fc from 'fast-check'
import t from 'tap'
import { parseTextFormat } from '../../src/prometheus/text-format.ts'
import { exporterPage } from '../fakes/fake-exporter.ts'

const wanted = new Set(['DCGM_FI_DEV_FB_USED', 'plain'])

t.test('reads the wanted metrics of an exporter, escapes and timestamps', (t) => {
  const page = [
    '# HELP DCGM_FI_DEV_FB_USED Framebuffer memory used (in MiB).',
    '# TYPE DCGM_FI_DEV_FB_USED gauge',
    'DCGM_FI_DEV_FB_USED{gpu="0",modelName="a \\"b\\" \\\\ c\\n{d}"} 9214',
    'DCGM_FI_DEV_FB_FREE{gpu="0"} 1',
    'DCGM_FI_DEV_FB_USED{ gpu = "1" , } 9.2e+18 1767225600000',
    'DCGM_FI_DEV_FB_USED {gpu="2"} NaN # {trace="x"} 1',
    'plain 3\r',
    '# EOF'
  ]

  const { samples, malformed } = parseTextFormat(page.join('\n'), wanted)

  t.strictSame(
    samples.map(({ name, labels, value }) => [name, { ...labels }, value]),
    [
      ['DCGM_FI_DEV_FB_USED', { gpu: '0', modelName: 'a "b" \\ c\n{d}' }, '9214'],
      ['DCGM_FI_DEV_FB_USED', { gpu: '1' }, '9.2e+18'],
      ['DCGM_FI_DEV_FB_USED', { gpu: '2' }, 'NaN'],
      ['plain', {}, '3']
    ]
  )
  t.equal(malformed, 0)
  t.end()
})

const broken = [
  'plain',
  'plain{',
  'plain{a} 1',
  'plain{a="1} 1',
  'plain{a="1"',
  `plain{a="${'x'.repeat(9000)}"} 1`
]
for (const line of [...broken, `plain{${Array.from({ length: 80 }, (_, i) => `l${i}="v"`).join()}} 1`]) {
  t.test(`counts a line that cannot be read: ${line.slice(0, 20)}`, (t) => {
    t.strictSame(parseTextFormat(`${line}\nplain 1`, wanted), {
      samples: [{ name: 'plain', labels: {}, value: '1' }],
      malformed: 1
    })
    t.end()
  })
}

t.test('any label value comes back as it was written', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (value) => {
      const { samples } = parseTextFormat(
        exporterPage([{ name: 'plain', labels: { a: value }, value: 1 }]),
        wanted
      )
      return samples[0]?.labels['a'] === value
    })
  )
  t.end()
})

t.test('never throws, whatever the page', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      return parseTextFormat(`plain${text}\nplain{${text}`, wanted).samples.length >= 0
    })
  )
  t.end()
})
