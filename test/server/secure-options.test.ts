import t from 'tap'
import { secureOptions } from '../../src/server/secure-options.ts'

t.test('the TLS side is whole each time it is asked for', async (t) => {
  t.strictSame(secureOptions({ certPem: 'c', keyPem: 'k' }), {
    cert: 'c',
    key: 'k',
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1']
  })
})
