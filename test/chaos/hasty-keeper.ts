import { certificateTimes } from '../../src/tls/due.ts'

/**
 * Preloaded into a process under test (`node --import`): it looks after certificates twice a second instead of once a minute, and believes
 * after three seconds instead of two minutes that every API server has read a bundle. Certificates live as long as ever.
 */
Object.assign(certificateTimes, { publishedMs: 3_000, lookMs: 500, hastyLookMs: 200 })
