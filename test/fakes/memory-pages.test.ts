import t from 'tap'
import { pagedCluster, pageReaderContract } from '../contract/page-reader.ts'
import { MemoryPages } from './memory-pages.ts'

t.test('the contract of a PageReader', async (t) => {
  pageReaderContract(t, async () => new MemoryPages(pagedCluster))
})
