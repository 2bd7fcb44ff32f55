import t from 'tap'
import { withoutKey } from '../../src/tls/authority.ts'
import {
  bundleOf,
  membersOf,
  noAuthorities,
  readAuthoritySet,
  withPrevious,
  writeAuthoritySet
} from '../../src/tls/authority-set.ts'
import { anAuthority } from '../build/authority.ts'

const nowMs = Date.UTC(2026, 0, 10, 12)
const hour = 3_600_000
const living = { notBeforeMs: nowMs - hour, notAfterMs: nowMs + hour }
const [current, next, old] = [await anAuthority(living), await anAuthority(living), await anAuthority(living)]
const ended = await anAuthority({ notBeforeMs: nowMs - hour, notAfterMs: nowMs })
const whole = { current, next, previous: [withoutKey(old)] }

t.test('what is written is read again, without faults', async (t) => {
  for (const set of [whole, noAuthorities, { ...noAuthorities, current }, { ...whole, next: undefined }])
    t.strictSame(readAuthoritySet(writeAuthoritySet(set)), { set, faults: [] })
})

const { 'ca.crt': certificate, 'ca.key': key = '', ...rest } = writeAuthoritySet(whole)
const others = { ...rest, 'ca.crt': certificate ?? '' }

for (const { name, data, faults } of [
  { name: 'no key', data: others, faults: ['ca.key: no key of ca.crt'] },
  {
    name: 'the key of another one',
    data: { ...others, 'ca.key': next.keyPem },
    faults: ['ca.key: no key of ca.crt']
  },
  {
    name: 'garbage',
    data: { ...others, 'ca.crt': 'x', 'ca.key': key },
    faults: ['ca.crt: no certificate of an authority']
  },
  {
    name: 'a key alone',
    data: { 'ca.key': key },
    faults: ['ca.crt: no certificate of an authority']
  },
  {
    name: 'garbage in place of those before',
    data: { ...others, 'ca.key': key, 'previous.crt': 'x' },
    faults: ['previous.crt: no authority']
  }
]) {
  t.test(`${name} is a fault that is told without what it holds`, async (t) => {
    const read = readAuthoritySet(data)

    t.strictSame(read.faults, faults)
    t.notMatch(read.faults.join(), /BEGIN/)
  })
}

t.test('the bundle holds each authority that has not ended once, and no key', async (t) => {
  const set = { ...whole, previous: [old, ended, current] }

  t.equal(bundleOf(set, nowMs), current.certPem + next.certPem + old.certPem)
  t.equal(bundleOf(noAuthorities, nowMs), '')
  t.strictSame(
    membersOf(set).map(({ fingerprint }) => fingerprint),
    [current, next, old, ended].map(({ fingerprint }) => fingerprint)
  )
})

t.test('those of before have no keys, have not ended, and stay few', async (t) => {
  const many = await Promise.all(Array.from({ length: 10 }, () => anAuthority(living)))

  t.strictSame(withPrevious({ ...whole, next: undefined }, [ended, next, current], nowMs).previous, [
    withoutKey(next),
    withoutKey(old)
  ])
  t.equal(withPrevious(whole, many, nowMs).previous.length, 8)
})
