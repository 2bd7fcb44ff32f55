import { AppError } from '../../core/errors.ts'

/** What is to be explained. */
export type Subject =
  | { readonly kind: 'pod'; readonly name: string }
  | { readonly kind: 'namespace'; readonly name: string }
  /** `type` is a kind as people spell it, in lower case: `deployment`, `raycluster`. */
  | { readonly kind: 'workload'; readonly type: string; readonly name: string }

/** Short names and plurals, as kubectl knows them. */
const shortNames: Readonly<Record<string, string>> = {
  po: 'pod',
  ns: 'namespace',
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  rc: 'replicationcontroller',
  cj: 'cronjob',
  isvc: 'inferenceservice',
  lws: 'leaderworkerset'
}

/**
 * Reads what stands on the command line: `NAME` of a pod, `pod/NAME`, `deploy/NAME`, `ns/NAME`, or any kind that makes pods.
 * @throws AppError USAGE_WRONG
 */
export function parseSubject(text: string): Subject {
  const [first = '', second, ...more] = text.split('/')
  const name = second ?? first
  if (name === '' || first === '' || more.length > 0)
    throw new AppError(
      'USAGE_WRONG',
      `"${text}": write KIND/NAME, such as deploy/web, pod/web-0 or ns/search`
    )
  if (second === undefined) return { kind: 'pod', name }
  const type = kindNamed(first)
  return type === 'pod' || type === 'namespace' ? { kind: type, name } : { kind: 'workload', type, name }
}

/** `Deployments.apps` is `deployment`. */
function kindNamed(text: string): string {
  const [plain = ''] = text.toLowerCase().split('.')
  const own = shortNames[plain]
  if (own !== undefined) return own
  return plain.endsWith('s') ? plain.replace(/s$/, '') : plain
}
