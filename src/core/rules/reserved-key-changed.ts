import { ownAnnotations, sliceLabel } from '../api/names.ts'
import type { SecurityView } from '../pod/security-view.ts'
import { podRule } from './rule.ts'
import { showList } from './show.ts'

const annotationKeys: readonly string[] = Object.values(ownAnnotations)

/**
 * Marks that only we write: none in a template, none changed on a pod. A new pod is not looked at, for what stands on it
 * has been written or removed by the rewriting webhook already; on a pod that runs nobody can tell who wrote it.
 */
export const reservedKeyChanged = podRule('ReservedKeyChanged', ({ security, before, occasion }) => {
  if (occasion !== 'template' && occasion !== 'update') return undefined
  const keys = changedKeys(occasion === 'template' ? undefined : before, security)
  return keys.length === 0
    ? undefined
    : {
        seen: `writes ${showList(keys)}`,
        wayOut: 'leave them out; Rightslice writes them when the pod is created'
      }
})

function changedKeys(before: SecurityView | undefined, after: SecurityView): readonly string[] {
  const annotations = annotationKeys.filter((key) => before?.annotations[key] !== after.annotations[key])
  const isLabelled = before?.labels[sliceLabel] !== after.labels[sliceLabel]
  return isLabelled ? [...annotations, sliceLabel] : annotations
}
