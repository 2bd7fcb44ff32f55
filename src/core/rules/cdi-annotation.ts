import { celPattern } from '../api/cel.ts'
import type { SecurityContainer, SecurityView } from '../pod/security-view.ts'
import { celThePod } from './cel-check.ts'
import type { Rule } from './rule.ts'
import { showList, showText } from './show.ts'

/** Annotations by which a container runtime injects devices. @source Container Device Interface; NVIDIA container toolkit, NRI plugin */
const cdiKey = /(?:^|\.)cdi\.k8s\.io\//

const wayOut = 'request nvidia.com/gpu in limits and drop the annotation'

/** Annotations that inject devices: no resource, variable or mount is involved. A key may name the container it is for. */
export const cdiAnnotation: Rule = {
  code: 'CdiAnnotation',
  cel: {
    offenders: `!variables.isDebug && variables.annotations.exists(k, k.matches(${celPattern(cdiKey.source)}) && (variables.isNew || !(k in variables.annotationsBefore) || variables.annotationsBefore[k] != variables.annotations[k])) ? ${celThePod} : []`,
    wayOut
  },
  find: ({ security, before, occasion }) => {
    if (occasion === 'debug') return []
    const keys = Object.keys(security.annotations)
      .filter((key) => cdiKey.test(key) && isNews(key, security, occasion === 'update' ? before : undefined))
      .sort()
    return [...Map.groupBy(keys, (key) => containerOf(key, security.containers))].map(([container, own]) => {
      const shown = own.map((key) => `${showText(key)}: ${showText(security.annotations[key] ?? '')}`)
      return {
        rule: 'CdiAnnotation',
        container,
        seen: `has the annotation ${showList(shown)}, which injects devices`,
        wayOut
      }
    })
  }
}

/** Whether an annotation is there since the update, or with another value. */
function isNews(key: string, after: SecurityView, before: SecurityView | undefined): boolean {
  return before === undefined || before.annotations[key] !== after.annotations[key]
}

/** The container that `nvidia.cdi.k8s.io/container.main` is for. */
function containerOf(key: string, containers: readonly SecurityContainer[]): SecurityContainer | undefined {
  const [, name] = /\/container\.(.+)$/.exec(key) ?? []
  return name === undefined ? undefined : containers.find((container) => container.name === name)
}
