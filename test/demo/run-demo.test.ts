import t from 'tap'
import { fieldAt } from '../../src/core/json.ts'
import { renderNextSteps, sampleReview } from '../../src/demo/run-demo.ts'

const at = { url: 'https://127.0.0.1:1/rewrite', caFile: '/tmp/x/ca.crt', reviewFile: '/tmp/x/review.json' }

t.test('the hint to send a review names both files by their path', async (t) => {
  const text = renderNextSteps({ ...at, entryFile: '/clone/src/cli.ts' })

  t.match(
    text,
    `curl --cacert ${at.caFile} -H 'content-type: application/json' -d @${at.reviewFile} ${at.url}\n`
  )
})

for (const { entryFile, command } of [
  { entryFile: '/clone/src/cli.ts', command: 'npx node src/cli.ts explain' },
  { entryFile: '/clone/dist/cli.js', command: 'npx rightslice explain' },
  { entryFile: '/clone/node_modules/.bin/rightslice', command: 'npx rightslice explain' }
]) {
  t.test(`started from ${entryFile}, the next steps are "${command}"`, async (t) => {
    const text = renderNextSteps({ ...at, entryFile })

    t.match(text, `${command} -f pod.yaml`)
    t.match(text, `${command} --reason FitsMigProfile`)
  })
}

t.test('the sample review is one of the first pod of the table', async (t) => {
  t.match(sampleReview(), {
    kind: 'AdmissionReview',
    request: { namespace: 'search', operation: 'CREATE', object: { kind: 'Pod' } }
  })
  t.equal(fieldAt(sampleReview(), 'request', 'object', 'metadata', 'labels', 'app'), 'reranker')
})
