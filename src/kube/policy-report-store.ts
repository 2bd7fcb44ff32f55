import { fieldOf, listOf, stringOf } from '../core/json.ts'
import type { PolicyReportStore, ReportGroup, ReportPlace } from '../ports/policy-report-store.ts'
import { serverSideApply } from './apply.ts'
import { KubeError } from './kube-error.ts'
import { pagesOf } from './list-collection.ts'
import { exists, sendWrite, type WriterParts } from './send-write.ts'

/** Name of our report in every namespace, and the label by which it is known as ours. */
const REPORT_NAME = 'rightslice'
const ownLabel = { 'app.kubernetes.io/managed-by': 'rightslice' } as const

/** Reports are short; a page of so many keeps memory low. */
const PAGE_SIZE = 100

/** Limit for asking what is served, ms. */
const TIMEOUT_MS = 10_000

interface Api {
  readonly version: string
  readonly plural: string
  readonly kind: string
}

/**
 * The successor first.
 * @source https://github.com/openreports/reports-api, https://github.com/kubernetes-sigs/wg-policy-prototypes
 */
const apis: Readonly<Record<ReportGroup, Api>> = {
  'openreports.io': { version: 'v1alpha1', plural: 'reports', kind: 'Report' },
  'wgpolicyk8s.io': { version: 'v1alpha2', plural: 'policyreports', kind: 'PolicyReport' }
}
const groups: readonly ReportGroup[] = ['openreports.io', 'wgpolicyk8s.io']

/** Policy reports of the cluster behind a connection, written by server-side apply. */
export function policyReportStore(parts: WriterParts): PolicyReportStore {
  return {
    served: async (signal) => {
      const found: ReportGroup[] = []
      for (const group of groups) if (await isServed(parts, group, signal)) found.push(group)
      return found
    },
    namespaces: (group, signal) => namespacesWithOurs(parts, group, signal),
    apply: async (place, content, signal) => {
      const { group, namespace } = place
      const { version, kind } = apis[group]
      const metadata = { name: REPORT_NAME, namespace, labels: ownLabel }
      const body = { apiVersion: `${group}/${version}`, kind, metadata, ...content }
      await sendWrite(parts, serverSideApply(pathOf(place), body), signal)
    },
    remove: async (place, signal) => {
      await exists(sendWrite(parts, { method: 'DELETE', path: pathOf(place) }, signal))
    }
  }
}

function pathOf({ group, namespace }: ReportPlace): string {
  const { version, plural } = apis[group]
  return `/apis/${group}/${version}/namespaces/${encodeURIComponent(namespace)}/${plural}/${REPORT_NAME}`
}

async function isServed(
  { connection }: WriterParts,
  group: ReportGroup,
  signal: AbortSignal
): Promise<boolean> {
  const { version, plural } = apis[group]
  try {
    const path = `/apis/${group}/${version}`
    const answer = await connection.request({ method: 'GET', path, signal, timeoutMs: TIMEOUT_MS })
    return listOf(await answer.json(), 'resources').some((resource) => stringOf(resource, 'name') === plural)
  } catch (fault) {
    if (fault instanceof KubeError && fault.status === 404) return false
    throw fault
  }
}

/** A report of our name that somebody else made has no label of ours, and is left alone until we write it. */
async function namespacesWithOurs(
  { connection }: WriterParts,
  group: ReportGroup,
  signal: AbortSignal
): Promise<readonly string[]> {
  const { version, plural, kind } = apis[group]
  const resource = { path: `/apis/${group}/${version}/${plural}`, kind }
  const [selector] = Object.entries(ownLabel).map((pair) => pair.join('='))
  const found: string[] = []
  const list = {
    connection,
    resource,
    metadataOnly: true,
    pageSize: PAGE_SIZE,
    labelSelector: selector,
    signal
  }
  for await (const { items } of pagesOf(list)) {
    for (const metadata of items.map((item) => fieldOf(item, 'metadata'))) {
      if (stringOf(metadata, 'name') === REPORT_NAME) found.push(stringOf(metadata, 'namespace') ?? '')
    }
  }
  return found.sort()
}
