import t from 'tap'
import { computePeakOf } from '../../../../src/core/usage/estimator/compute-peak.ts'

const utilization = { metric: 'DCGM_FI_DEV_GPU_UTIL', ratio: 0.98 }
const engine = { metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', ratio: 0.6 }
const sm = { metric: 'DCGM_FI_PROF_SM_ACTIVE', ratio: 0.3 }

t.test('takes SM activity before engine activity, and the highest reading of it', async (t) => {
  t.strictSame(computePeakOf([engine, { ...sm, ratio: 0.2 }, sm, utilization]), sm)
  t.strictSame(computePeakOf([engine, utilization]), engine)
})

t.test('GPU_UTIL alone and impossible readings are no evidence', async (t) => {
  t.equal(computePeakOf([utilization]), undefined)
  t.equal(
    computePeakOf([
      { ...sm, ratio: 1.2 },
      { ...engine, ratio: Number.NaN }
    ]),
    undefined
  )
  t.strictSame(computePeakOf([{ ...sm, ratio: -1 }, engine]), engine)
})
