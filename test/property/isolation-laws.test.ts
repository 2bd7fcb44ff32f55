import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { RuleCode } from '../../src/core/api/rules.ts'
import { fieldOf, isRecord, type JsonRecord, listOf } from '../../src/core/json.ts'
import { breachWarnings, refusalMessage } from '../../src/core/rules/tell.ts'
import type { Verdict } from '../../src/core/rules/verdict.ts'
import { verdictOn } from '../build/isolation.ts'
import { holds } from './holds.ts'
import { somePods } from './isolation-pods.ts'

/** Pods per law; together the laws look at 100,000. `FC_SEED` and `FC_TIMES` run them again and longer. */
const RUNS = 34_000

const pods = somePods(false)
const honestPods = somePods(true)

/** Pods in which some values are anything at all. */
const broken: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc
    .tuple(pods, fc.array(fc.nat(9), { maxLength: 5 }), fc.jsonValue())
    .map(([pod, way, value]) => put(pod, way, value))
)

/** The object with `value` somewhere in it; each step of the way picks a field by its number. */
function put(target: unknown, [step, ...rest]: readonly number[], value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(target)) {
    if (target.length === 0) return [value]
    const place = step % target.length
    return target.with(place, put(target[place], rest, value))
  }
  if (!isRecord(target)) return value
  const keys = Object.keys(target)
  const key = keys[step % Math.max(1, keys.length)] ?? 'spec'
  return { ...target, [key]: put(target[key], rest, value) }
}

function judge(raw: unknown): Verdict {
  return verdictOn({ raw })
}

function refusedBy(verdict: Verdict): readonly RuleCode[] {
  return verdict.kind === 'judged' ? verdict.refused.map(({ rule }) => rule) : []
}

t.test('[RULE1] [RULE4] any JSON is judged, and what is said of it is short and clean', async (t) => {
  holds(
    fc.property(broken, (raw) => {
      const verdict = judge(raw)
      if (verdict.kind === 'outside') return
      const said = [
        ...breachWarnings(verdict, 'would'),
        ...refusalMessage(verdict.refused, verdict.policy).split('\n')
      ]
      for (const line of said) assert.match(line, /^[\x20-\x7e]{1,1500}$/)
    }),
    RUNS
  )
  t.pass()
})

/** The same pod with fields that nobody knows, and its keys in another order. */
function noisy(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => noisy(item, key))
  if (!isRecord(value)) return value
  const fields = Object.entries(value).map(
    ([name, field]) => [name, isMap(name) ? field : noisy(field, key)] as const
  )
  return Object.fromEntries([[`x-${key}`, key], ...fields.reverse()])
}

/** Maps whose keys are names of users, so that one more is not noise. */
function isMap(name: string): boolean {
  return ['limits', 'requests', 'annotations', 'labels', 'volumeAttributes'].includes(name)
}

t.test('[RULE4] noise never changes the verdict', async (t) => {
  holds(
    fc.property(pods, fc.constantFrom('noise', 'PRIVILEGED', 'HostPID', '__proto__x'), (pod, key) => {
      assert.deepEqual(judge(noisy(pod, key)), judge(pod))
    }),
    RUNS
  )
  t.pass()
})

/** One thing that is forbidden in every pod, added to a container or to the pod. */
const crimes: readonly {
  readonly rule: RuleCode
  readonly commit: (pod: JsonRecord, where: List) => JsonRecord
}[] = [
  {
    rule: 'VisibleDevicesOverride',
    commit: inContainer({ env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }] })
  },
  {
    rule: 'MigControlVariable',
    commit: inContainer({ env: [{ name: 'NVIDIA_MIG_CONFIG_DEVICES', value: '0' }] })
  },
  {
    rule: 'PreloadIntoToolkit',
    commit: inContainer({ env: [{ name: 'LD_PRELOAD', value: '/proc/self/cwd/x' }] })
  },
  {
    rule: 'DeviceListMount',
    commit: inContainer({ volumeMounts: [{ name: 'x', mountPath: '/run/nvidia-container-devices/0' }] })
  },
  {
    rule: 'PrivilegedWithGpu',
    commit: inContainer({
      securityContext: { privileged: true },
      resources: { limits: { 'nvidia.com/gpu': 1 } }
    })
  },
  { rule: 'HostDevicePath', commit: inSpec({ volumes: [{ name: 'crime', hostPath: { path: '//dev/.' } }] }) },
  {
    rule: 'PluginSocketPath',
    commit: inSpec({ volumes: [{ name: 'crime', hostPath: { path: '/var/lib/kubelet' } }] })
  },
  { rule: 'NodeNameSet', commit: inSpec({ nodeName: 'n' }) },
  { rule: 'RuntimeClassNotAllowed', commit: inSpec({ runtimeClassName: 'nvidia-x' }) },
  {
    rule: 'CdiAnnotation',
    commit: (pod) => ({ ...pod, metadata: { annotations: { 'cdi.k8s.io/crime': 'x' } } })
  }
]

type List = 'containers' | 'initContainers' | 'ephemeralContainers'

function inContainer(fields: JsonRecord): (pod: JsonRecord, where: List) => JsonRecord {
  return (pod, where) => {
    const list = listOf(pod['spec'], where)
    return inSpec({ [where]: [...list, { name: 'crime', ...fields }] })(pod)
  }
}

function inSpec(fields: JsonRecord): (pod: JsonRecord) => JsonRecord {
  return (pod) => {
    const spec = fieldOf(pod, 'spec')
    return { ...pod, spec: { ...(isRecord(spec) ? spec : {}), ...fields } }
  }
}

t.test('[RULE1] a forbidden thing added to an accepted pod is always refused', async (t) => {
  const lists = fc.constantFrom<List>('containers', 'initContainers', 'ephemeralContainers')
  holds(
    fc.property(honestPods, fc.constantFrom(...crimes), lists, (pod, { rule, commit }, where) => {
      assert.deepEqual(refusedBy(judge(pod)), [])
      assert.ok(refusedBy(judge(commit(pod, where))).includes(rule), rule)
    }),
    RUNS
  )
  t.pass()
})
