import { readFile } from 'node:fs/promises'
import { fieldAt, type JsonRecord } from '../../src/core/json.ts'
import { bodyOf } from '../bed/api-client.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { Simulator } from '../bed/simulator.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { type Balancer, startBalancer } from '../e2e/balancer.ts'
import { gpuTemplate, policy } from '../e2e/objects.ts'
import { create, installBase, installConfigurations, writeHistory } from '../e2e/product.ts'
import type { CreationOrder } from './creations.ts'
import { type Replica, ReplicaStarter, untilReady } from './replica.ts'
import { type Sweeper, startSweeper } from './sweeper.ts'

/** A cluster with replicas of the webhook behind a balancer, whose way to the API server can be cut. */
export interface Stage {
  readonly bed: Bed
  /** Between the API server and the replicas. */
  readonly balancer: Balancer
  /** Between the replicas and the API server. */
  readonly wayToApi: Balancer
  readonly sweeper: Sweeper
  /** Replicas that run now, oldest first. */
  readonly replicas: readonly Replica[]
  /** Starts another replica, waits until it is ready, and has the balancer know it. */
  join(): Promise<Replica>
  /** A replica that has ended is no more of the stage. */
  leave(replica: Replica): void
  /** Pods to be created at this rate, under names of their own. */
  order(perSecond: number): Promise<CreationOrder>
  close(): Promise<void>
}

/** How a stage is set. */
export interface StageOptions {
  readonly replicas: number
  readonly drainSeconds: number
  /** How long a replica that has ended still gets connections, as kube-proxy learns of it late. */
  readonly lateSeconds: number
  readonly isHasty: boolean
}

const NAMESPACE = 'team-a'
const OWNER = 'burst'

/** Every so many pods one breaks a rule, so that a webhook which is passed over shows. */
const BREAKING_EVERY = 10

/** Sets the stage: what is installed, a node with slices, a workload whose peak is known, and the replicas. */
export async function setStage(bed: Bed, simulator: Simulator, options: StageOptions): Promise<Stage> {
  const { drainSeconds, isHasty } = options
  const wayToApi = await startBalancer([Number(new URL(bed.url).port)])
  const starter = new ReplicaStarter(bed, { apiPort: wayToApi.port, drainSeconds, isHasty })
  await installBase(bed)
  await createNamespace(bed, NAMESPACE, { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await create(bed, policy('all', {}))
  await simulator.addNode({
    name: 'slices',
    product: 'A100-40',
    layout: { kind: 'mig-mixed', gpus: 8, profiles: { '1g.5gb': 56 } }
  })
  const owner = await createOwner(bed)
  const balancer = await startBalancer([], options.lateSeconds * 1000)
  await installConfigurations(bed, balancer.port)
  const sweeper = startSweeper(bed, NAMESPACE)
  let running: readonly Replica[] = []
  let orders = 0
  const stage: Stage = {
    bed,
    balancer,
    wayToApi,
    sweeper,
    get replicas() {
      return running
    },
    join: async () => {
      const replica = await starter.start()
      running = [...running, replica]
      await untilReady(replica)
      balancer.add(replica.port)
      return replica
    },
    leave: (replica) => {
      running = running.filter((other) => other !== replica)
    },
    order: async (perSecond) => {
      orders += 1
      const [url, namespace, prefix] = [bed.url, NAMESPACE, `load-${orders}`]
      const [ca, token] = [await readFile(bed.caFile, 'utf8'), bed.token('admin')]
      const { pod, breaking } = podsOf(owner)
      return { url, ca, token, namespace, prefix, pod, breaking, breakingEvery: BREAKING_EVERY, perSecond }
    },
    close: async () => {
      await sweeper.stop()
      for (const replica of running) await replica.stop('SIGKILL')
      await balancer.close()
      await wayToApi.close()
    }
  }
  for (let count = 0; count < options.replicas; count += 1) await stage.join()
  await untilBothAnswer(stage)
  return stage
}

/** A ReplicaSet that makes nothing by itself, so that pods can be its own, and what is known of its Deployment. */
async function createOwner(bed: Bed): Promise<JsonRecord> {
  const labels = { app: OWNER }
  const template = gpuTemplate({ labels })
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`
  const name = `${OWNER}-7d9c6bbd8f`
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: OWNER, uid: 'none', controller: true }
  const replicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, ownerReferences: [deployment] },
    spec: { replicas: 0, selector: { matchLabels: labels }, template }
  }
  const made = bodyOf(await bed.request('POST', path, replicaSet), 'create ReplicaSet')
  await writeHistory(bed, {
    namespace: NAMESPACE,
    kind: 'Deployment',
    name: OWNER,
    peakMemory: '3686Mi'
  })
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name,
    uid: fieldAt(made, 'metadata', 'uid'),
    controller: true
  }
}

/** A pod that has to be let in and rewritten, and one that looks at every GPU of its node. */
function podsOf(owner: JsonRecord): Pick<CreationOrder, 'pod' | 'breaking'> {
  const { spec } = gpuTemplate({})
  const metadata = { labels: { app: OWNER }, ownerReferences: [owner] }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec }
  const [main] = [fieldAt(spec, 'containers')].flat()
  const seesAll = { ...Object(main), env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }] }
  return { pod, breaking: { ...pod, spec: { ...Object(spec), containers: [seesAll] } } }
}

/** Longest wait for what was installed to be heard of by everybody, ms. */
const ANSWER_MS = 60_000

/** Until a pod is rewritten and one that breaks a rule is refused, through every replica. */
async function untilBothAnswer(stage: Stage): Promise<void> {
  const { pod, breaking } = await stage.order(1)
  const path = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`
  const post = (body: JsonRecord) =>
    stage.bed.request('POST', path, {
      ...body,
      metadata: { ...Object(body['metadata']), name: 'probe' }
    })
  let inARow = 0
  const isAnswered = async (): Promise<boolean> => {
    const [good, bad] = [await post(pod), await post(breaking)]
    const isSliced = fieldAt(good.body, 'metadata', 'labels', 'rightslice.dev/slice') !== undefined
    inARow = isSliced && bad.status === 403 ? inARow + 1 : 0
    return inARow >= stage.replicas.length * 2
  }
  await until('every replica rewrites and refuses', isAnswered, ANSWER_MS)
}
