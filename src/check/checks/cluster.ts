import { supportedMinors, supportedReleases } from '../../core/api/kubernetes-range.ts'
import { showText } from '../../core/rules/show.ts'
import type { Check, Finding } from '../finding.ts'

const { oldest, newest } = supportedReleases

/** Whether the cluster is of a release that is supported; others may do, and are not tested. */
export const checkCluster: Check = ({ serverVersion }) => {
  const minor = Number(/^v1\.(\d+)/.exec(serverVersion)?.[1] ?? Number.NaN)
  const name = serverVersion === '' ? 'of unknown version' : showText(serverVersion).slice(1, -1)
  return [judge(minor, `Kubernetes ${name}`)]
}

function judge(minor: number, text: string): Finding {
  if (Number.isNaN(minor)) return { level: 'warn', text: `${text} is not supported`, fix: useOther }
  if (minor < supportedMinors.oldest) {
    return { level: 'warn', text: `${text} is older than ${oldest}, the oldest supported`, fix: useOther }
  }
  if (minor > supportedMinors.newest) {
    const fix = 'look for a newer release of Rightslice'
    return { level: 'warn', text: `${text} is newer than ${newest}, the newest supported`, fix }
  }
  return { level: 'ok', text }
}

const useOther = `use ${oldest} to ${newest}`
