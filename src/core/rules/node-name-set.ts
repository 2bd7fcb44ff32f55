import { celPod } from './cel-check.ts'
import { podRule } from './rule.ts'
import { showText } from './show.ts'

const wayOut = 'use nodeSelector kubernetes.io/hostname, so that the scheduler places it'

/** A pod that names its node goes round scheduler, taints and quota of nodes. Later on every pod names one. */
export const nodeNameSet = podRule(
  'NodeNameSet',
  ({ pod, occasion }) =>
    pod.nodeName === undefined || (occasion !== 'create' && occasion !== 'template')
      ? undefined
      : { seen: `names its node (nodeName is ${showText(pod.nodeName)})`, wayOut },
  { offenders: celPod(`object.spec.?nodeName.orValue('') != ''`), wayOut }
)
