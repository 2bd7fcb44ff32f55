import fc from 'fast-check'
import t from 'tap'
import { firstPages, pageMatchers, splitPage } from '../../src/prometheus/page.ts'
import { literalPattern, quote, selector, stretchOfDay, timeParameter } from '../../src/prometheus/promql.ts'

t.test('text is quoted so that it stays text', (t) => {
  t.equal(quote('a"} or up{b="\\\n'), String.raw`"a\"} or up{b=\"\\\u000a"`)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const literal = quote(text)
      return JSON.parse(literal) === text && !/[\p{Cc}]/u.test(literal)
    })
  )
  t.end()
})

t.test('a literal as a pattern matches itself only', (t) => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, other) => {
      const pattern = new RegExp(`^(?:${literalPattern(text)})$`, 's')
      return pattern.test(text) && pattern.test(other) === (other === text)
    })
  )
  t.end()
})

t.test('selectors', (t) => {
  t.equal(selector('m', []), 'm{}')
  t.equal(
    selector('m', [
      { label: 'a', is: 'x' },
      { label: 'b', oneOf: ['x.y', 'z'] },
      { label: 'c', oneOf: ['GPU-1'], anyCase: true },
      { label: 'd', endsIn: '0a' },
      { label: 'e', endsIn: '1', not: true }
    ]),
    String.raw`m{a="x",b=~"x\\.y|z",c=~"(?i:GPU-1)",d=~".*[0a]",e!~".*[1]"}`
  )
  t.end()
})

t.test('a day ends a millisecond before the next begins, today in the last whole second', (t) => {
  t.strictSame(stretchOfDay(0, 200_000_000), { endMs: 86_399_999, seconds: 86_400 })
  t.strictSame(stretchOfDay(0, 61_500), { endMs: 60_999, seconds: 61 })
  t.equal(stretchOfDay(0, 999), undefined)
  t.equal(timeParameter(86_399_999), '86399.999')
  t.end()
})

t.test('pages split by namespace, then by the end of the UUID, and together cover everything once', (t) => {
  const family = { name: 'plain', namespace: 'namespace', pod: 'pod', container: 'container' }
  t.strictSame(firstPages(undefined, [], 2), [{ namespaces: undefined, uuidEnds: undefined }])
  t.equal(firstPages(family, ['a', 'b', 'c'], 2).length, 3)
  let pages = firstPages(family, ['a', 'b'], 2).slice(0, 1)
  for (let round = 0; round < 6; round += 1) {
    pages = pages.flatMap((page) => (splitPage(page, true).length === 0 ? [page] : splitPage(page, true)))
  }
  t.equal(pages.length, 2 * 17)
  for (const uuid of ['GPU-0', 'GPU-f', 'GPU-F', 'GPU-9', 'x', '']) {
    const hits = pages.filter((page) => {
      const matchers = pageMatchers(page, family, 'UUID').slice(1)
      return matchers.every((matcher) => {
        if (!('endsIn' in matcher)) return false
        return new RegExp(`^.*[${matcher.endsIn}]$`).test(uuid) !== (matcher.not === true)
      })
    })
    t.equal(hits.length, 2, uuid)
  }
  t.strictSame(splitPage({ namespaces: ['a'], uuidEnds: undefined }, false), [])
  t.end()
})
