import { celPattern } from '../api/cel.ts'
import type { SecurityContainer, SecurityView } from '../pod/security-view.ts'
import { celThePod } from './cel-check.ts'
import type { Rule } from './rule.ts'
import { showSome, showText } from './show.ts'

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
    if (keys.length === 0) return []
    const named = firstByName(security.containers)
    return [...Map.groupBy(keys, (key) => named.get(containerNameIn(key)))].map(([container, own]) => {
      const show = (key: string): string => `${showText(key)}: ${showText(security.annotations[key] ?? '')}`
      return {
        rule: 'CdiAnnotation',
        container,
        seen: `has the annotation ${showSome(own, show)}, which injects devices`,
        wayOut
      }
    })
  }
}

/** Whether an annotation is there since the update, or with another value. */
function isNews(key: string, after: SecurityView, before: SecurityView | undefined): boolean {
  return before === undefined || before.annotations[key] !== after.annotations[key]
}

/** The first container of each name; keys may be as many as containers, so none is looked for in the whole list. */
function firstByName(containers: readonly SecurityContainer[]): ReadonlyMap<string, SecurityContainer> {
  const named = containers.filter(({ name }) => name !== '')
  return new Map(named.toReversed().map((container) => [container.name, container]))
}

const CONTAINER = '/container.'

/** The name `main` in `nvidia.cdi.k8s.io/container.main`; '' for a key that names no container. */
function containerNameIn(key: string): string {
  const at = key.indexOf(CONTAINER)
  return at < 0 ? '' : key.slice(at + CONTAINER.length)
}
