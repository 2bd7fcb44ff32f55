import t from 'tap'
import { LineSplitter } from '../../src/kube/line-splitter.ts'

const text = '{"name":"größe €"}\n\n{"name":"😀"}\nlast'

for (const size of [1, 2, 3, 5, 7, 1000]) {
  t.test(
    `gives the same lines from pieces of ${size} bytes, whole characters, without empty lines`,
    async (t) => {
      const splitter = new LineSplitter('/p')
      const bytes = Buffer.from(text)

      const lines: string[] = []
      for (let start = 0; start < bytes.length; start += size) {
        for (const line of splitter.push(bytes.subarray(start, start + size)))
          lines.push(Buffer.from(line).toString('utf8'))
      }

      t.strictSame(lines, ['{"name":"größe €"}', '{"name":"😀"}'])
    }
  )
}

t.test('refuses a line over the limit, also before its end has come', async (t) => {
  const splitter = new LineSplitter('/api/v1/nodes', 8)

  t.strictSame([...splitter.push(Buffer.from('12345678\n'))].length, 1)
  t.strictSame([...splitter.push(Buffer.from('1234'))], [])
  t.throws(() => [...splitter.push(Buffer.from('56789'))], {
    name: 'AppError',
    code: 'KUBE_REFUSED',
    message: 'GET /api/v1/nodes: watch unreadable: a line is longer than 8 bytes'
  })
  t.throws(() => [...new LineSplitter('/p', 2).push(Buffer.from('abc\n'))], { code: 'KUBE_REFUSED' })
})
