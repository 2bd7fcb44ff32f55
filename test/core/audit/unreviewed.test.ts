import t from 'tap'
import { auditOf, type RunningSpec, SINCE_MS } from '../../build/audit.ts'
import { asking } from '../../build/isolation.ts'

const gpu = asking('nvidia.com/gpu')
const cases: readonly (RunningSpec & { readonly name: string; readonly want: boolean })[] = [
  { name: 'a GPU pod without a mark', main: gpu, want: true },
  { name: 'whichever node it is on', main: gpu, spec: { nodeName: 'gpu-1' }, want: true },
  {
    name: 'a pod with our mark',
    main: gpu,
    metadata: { annotations: { 'rightslice.dev/decision': 'NoHistory' } },
    want: false
  },
  { name: 'a pod without a GPU', want: false },
  { name: 'a pod that asks for a share itself', main: asking('nvidia.com/mig-1g.10gb'), want: false },
  { name: 'a pod from before the label', main: gpu, createdMs: SINCE_MS - 1, want: false },
  {
    name: 'a pod of the seconds in which the label came',
    main: gpu,
    createdMs: SINCE_MS + 10_000,
    want: false
  },
  { name: 'a pod that came after them', main: gpu, createdMs: SINCE_MS + 10_001, want: true },
  { name: 'a label without a date', main: gpu, optedInMs: undefined, want: false },
  { name: 'a pod from before the policy', main: gpu, policySinceMs: SINCE_MS + 7_200_000, want: false },
  { name: 'a policy without a date', main: gpu, policySinceMs: undefined, want: false },
  { name: 'a policy that only proposes', main: gpu, policies: [{ mode: 'Propose' }], want: false },
  {
    name: 'a policy that does not rewrite',
    main: gpu,
    policies: [{ admission: { rewrite: 'Off' } }],
    want: false
  },
  { name: 'no policy', main: gpu, policies: [], want: false },
  {
    name: 'a namespace that only warns',
    main: gpu,
    labels: { 'rightslice.dev/rightsize': 'warn' },
    want: false
  }
]

for (const { name, want, ...spec } of cases) {
  t.test(`[RULE44] ${name}: ${want ? 'unreviewed' : 'nothing is claimed'}`, async (t) => {
    t.equal(auditOf(spec)?.isUnreviewed, want)
  })
}
