import { namespaceNames } from './cluster.ts'
import { type CorpusEntry, corpus } from './corpus.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { mutateTree } from './mutate-tree.ts'
import { writeOutDeep } from './odd-values.ts'
import { Random } from './random.ts'
import { isTree, putAt, type Tree, treeAt } from './tree.ts'

/** How a review gets to the webhook: past the socket, over TLS, or over TLS with a head that was changed too. */
type Way = 'inside' | 'tls' | 'head'

/** One mutated review. */
export interface FuzzedReview {
  readonly index: number
  readonly way: Way
  /** What is sent as the body. */
  readonly bytes: Buffer
  /** The body before what is nested deeply was written out; undefined where its bytes were changed. */
  readonly compact: string | undefined
  /** What was done to it, for whoever reads a finding. */
  readonly steps: readonly string[]
}

/** One in so many reviews has its bytes changed; of those one in so many goes over TLS, and of those one has its head changed. */
const BYTES_ONCE = 4
const TLS_ONCE = 10
const HEAD_ONCE = 4

/** One in so many mutations is done to the whole review and not to the object in it. */
const ENVELOPE_ONCE = 12

/** One in so many reviews gets the object of the pod before, from elsewhere. */
const BEFORE_ONCE = 30

/** The review of a seed and an index: always the same one. */
export function makeReview(seed: number, index: number): FuzzedReview {
  const random = new Random(seed, index)
  const review = plainReview(random.pick(corpus) ?? corpus[0], random)
  const steps = mutate(review, random)
  const compact = JSON.stringify(review)
  if (!random.once(BYTES_ONCE))
    return { index, way: 'inside', bytes: Buffer.from(writeOutDeep(compact)), compact, steps }
  const way = wayOf(random)
  const bytes = mutateBytes(Buffer.from(compact), random)
  return { index, way, bytes, compact: undefined, steps: [...steps, 'bytes'] }
}

function wayOf(random: Random): Way {
  if (!random.once(TLS_ONCE)) return 'inside'
  return random.once(HEAD_ONCE) ? 'head' : 'tls'
}

/** The bytes of a whole request with changes in head and body. */
export function makeRequest({ index, bytes }: FuzzedReview, seed: number, path: string): Buffer {
  const random = new Random(~seed, index)
  const head = [
    `POST ${path}?timeout=2s HTTP/1.1`,
    'Host: rightslice.rightslice-system.svc',
    'User-Agent: kube-apiserver-admission',
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    'Connection: keep-alive'
  ].join('\r\n')
  return Buffer.concat([mutateBytes(Buffer.from(`${head}\r\n\r\n`), random), bytes])
}

/** Nothing comes after something grew, for the growth of growth is larger than any review. */
function mutate(review: Tree, random: Random): readonly string[] {
  const count = random.once(20) ? 0 : random.length(8)
  const steps: string[] = []
  while (steps.length < count && steps.at(-1) !== 'grow') {
    const request = treeAt(review, 'request')
    const inner = isTree(request.object) ? request.object : request
    steps.push(mutateTree(random.once(ENVELOPE_ONCE) ? review : inner, random))
  }
  return steps
}

/** The review as an API server sends it, of a random namespace. */
function plainReview(entry: CorpusEntry | undefined, random: Random): Tree {
  const { resource, subResource = '', operation, object, oldObject } = entry ?? {}
  const request = {
    uid: `uid-${random.below(2 ** 31)}`,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource,
    subResource,
    namespace: random.pick(namespaceNames),
    operation: random.once(40) ? random.pick(['DELETE', 'CONNECT', 'UPDATE', 'create', '']) : operation,
    userInfo: { username: 'tenant' },
    object,
    oldObject: oldObject ?? (random.once(BEFORE_ONCE) ? random.pick(corpus)?.object : null),
    dryRun: random.once(10),
    options: null
  }
  const review: Tree = JSON.parse(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request })
  )
  if (random.once(200)) putAt({ parent: review, key: 'apiVersion' }, 'admission.k8s.io/v1beta1')
  return review
}
