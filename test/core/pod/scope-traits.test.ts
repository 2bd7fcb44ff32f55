import t from 'tap'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'

const gpuOnly: PodSpec = {}
for (const { name, pod, want } of [
  { name: 'a GPU alone is no request of CPU or memory', pod: gpuOnly, want: { isBestEffort: true } },
  {
    name: 'CPU of an init container is',
    pod: { initContainers: [{ limits: { cpu: '100m' } }] },
    want: { isBestEffort: false }
  },
  {
    name: 'zero is none',
    pod: { containers: [{ limits: { cpu: '0', memory: 0 } }] },
    want: { isBestEffort: true }
  },
  {
    name: 'resources of the whole pod count',
    pod: { spec: { resources: { requests: { memory: '1Gi' } } } },
    want: { isBestEffort: false }
  },
  { name: 'a deadline', pod: { spec: { activeDeadlineSeconds: 0 } }, want: { hasDeadline: true } },
  {
    name: 'a deadline that is none',
    pod: { spec: { activeDeadlineSeconds: 'soon' } },
    want: { hasDeadline: false }
  },
  { name: 'a class', pod: { spec: { priorityClassName: 'high' } }, want: { priorityClassName: 'high' } }
]) {
  t.test(`[QUOTA13] ${name}`, async (t) => t.match(readPod(aPod(pod), 'team-a').scopeTraits, want))
}
