import t from 'tap'
import { parseSubject } from '../../../src/cli/explain/parse-subject.ts'
import { AppError } from '../../../src/core/errors.ts'

const cases = [
  { text: 'web-0', want: { kind: 'pod', name: 'web-0' } },
  { text: 'po/web-0', want: { kind: 'pod', name: 'web-0' } },
  { text: 'pods/web-0', want: { kind: 'pod', name: 'web-0' } },
  { text: 'ns/search', want: { kind: 'namespace', name: 'search' } },
  { text: 'deploy/web', want: { kind: 'workload', type: 'deployment', name: 'web' } },
  { text: 'Deployments.apps/web', want: { kind: 'workload', type: 'deployment', name: 'web' } },
  { text: 'sts/db', want: { kind: 'workload', type: 'statefulset', name: 'db' } },
  { text: 'RayCluster/rc', want: { kind: 'workload', type: 'raycluster', name: 'rc' } }
]

for (const { text, want } of cases) {
  t.test(`${text} is ${want.kind} ${want.name}`, async (t) => {
    t.strictSame(parseSubject(text), want)
  })
}

for (const text of ['', '/', 'deploy/', '/web', 'a/b/c']) {
  t.test(`"${text}" is refused`, async (t) => {
    t.throws(
      () => parseSubject(text),
      new AppError('USAGE_WRONG', `"${text}": write KIND/NAME, such as deploy/web, pod/web-0 or ns/search`)
    )
  })
}
