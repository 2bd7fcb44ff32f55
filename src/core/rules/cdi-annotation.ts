import { celPattern } from '../api/cel.ts'
import type { SecurityContainer } from '../pod/security-view.ts'
import { celPod } from './cel-check.ts'
import type { Rule } from './rule.ts'
import { showList, showText } from './show.ts'

/** Annotations by which a container runtime injects devices. @source Container Device Interface; NVIDIA container toolkit, NRI plugin */
const cdiKey = /(?:^|\.)cdi\.k8s\.io\//

const wayOut = 'request nvidia.com/gpu in limits and drop the annotation'

/** Annotations that inject devices: no resource, variable or mount is involved. A key may name the container it is for. */
export const cdiAnnotation: Rule = {
  code: 'CdiAnnotation',
  cel: {
    offenders: celPod(`variables.annotations.exists(k, k.matches(${celPattern(cdiKey.source)}))`),
    wayOut
  },
  find: ({ security, occasion }) => {
    if (occasion === 'debug') return []
    const keys = Object.keys(security.annotations)
      .filter((key) => cdiKey.test(key))
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

/** The container that `nvidia.cdi.k8s.io/container.main` is for. */
function containerOf(key: string, containers: readonly SecurityContainer[]): SecurityContainer | undefined {
  const [, name] = /\/container\.(.+)$/.exec(key) ?? []
  return name === undefined ? undefined : containers.find((container) => container.name === name)
}
