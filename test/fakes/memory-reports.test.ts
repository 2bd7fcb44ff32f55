import t from 'tap'
import { policyReportStoreContract } from '../contract/policy-report-store.ts'
import { MemoryReports } from './memory-reports.ts'

t.test('the contract of a PolicyReportStore', async (t) => {
  policyReportStoreContract(t, async (_t, groups) => {
    const store = new MemoryReports(groups)
    return { store, read: (group, namespace) => store.read(group, namespace) }
  })
})
