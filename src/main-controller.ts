import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  commonMirrors,
  LONG_PAGE_SIZE,
  type MirrorMeans,
  mirror,
  startReading
} from './compose/cluster-reader.ts'
import { deviceMirrors } from './compose/device-mirrors.ts'
import { quotaMirror } from './compose/quota-mirror.ts'
import { openSources, type Sources } from './compose/usage-sources.ts'
import { loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { packageVersion } from './config/version.ts'
import { Canary } from './controllers/canary/canary.ts'
import { censusTaker } from './controllers/census.ts'
import { TemplateKeeper, type TemplateKeeperParts } from './controllers/claims/template-keeper.ts'
import { Elector } from './controllers/elector.ts'
import { EventTeller, type TellerStores } from './controllers/events/event-teller.ts'
import { readExemptionObject } from './controllers/exemptions/exemption-object.ts'
import { IsolationKeeper } from './controllers/isolation/isolation-keeper.ts'
import { readPolicyObject } from './controllers/policies/policy-object.ts'
import { Refresh } from './controllers/refresh.ts'
import { Rescue, type RescueStores } from './controllers/rescue/rescue.ts'
import { Sweep } from './controllers/sweep/sweep.ts'
import { readWorkloadObject } from './controllers/workloads/workload-object.ts'
import { JoinedNodes } from './gather/devices/joined-nodes.ts'
import { readPodRecord } from './gather/pod-record.ts'
import { FAILED_CREATE, readRefusalRecord } from './gather/refusal-record.ts'
import { createWriter } from './kube/apply.ts'
import { claimTemplateWriter } from './kube/claim-templates.ts'
import { systemClock } from './kube/clock.ts'
import { connectCluster, type KubeConnection } from './kube/connection.ts'
import { createEventSink } from './kube/events.ts'
import { podEvictor } from './kube/evict.ts'
import { leaseIn } from './kube/lease.ts'
import { pageReader } from './kube/page-reader.ts'
import { policyReportStore } from './kube/policy-report-store.ts'
import { rulesConfigMap } from './kube/rules-config-map.ts'
import { runUntilEnded } from './lifecycle/ending.ts'
import { type ControllerMetricsPage, createControllerMetrics } from './observability/controller-metrics.ts'
import { createLogger, type RootLog } from './observability/logger.ts'
import { serveHealth } from './server/serve-health.ts'

/** Longest time for an orderly end: the work, what is saved last (10 s), the Lease (5 s). Pods are given 30 s. */
const GRACE_SECONDS = 25

/** How much longer a template for claims stays than the oldest thing that a webhook may go by, ms. */
const RETIRED_FURTHER_MS = 60_000

/**
 * `rightslice controller`: reads the settings and runs.
 * @param file YAML file with settings by key
 * @throws AppError CONFIG_INVALID with every fault
 */
export async function mainController(file?: string): Promise<void> {
  await runController(await loadConfig({ file }))
}

/**
 * Runs the controller until a signal ends it: reads the cluster, waits for the lease, writes while it leads, hands the lease back.
 * @throws AppError CONFIG_INVALID before anything is opened
 */
export async function runController(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel })
  await runUntilEnded({ log, graceSeconds: GRACE_SECONDS }, (ending) => runUntil(ending, config, log))
}

async function runUntil(ending: AbortSignal, config: Config, log: RootLog): Promise<void> {
  const connection = await connectCluster({ kubeconfig: config.kubeconfig })
  const metrics = createControllerMetrics({
    version: await packageVersion(),
    nowMs: () => systemClock.nowMs()
  })
  const reader = readCluster({
    connection,
    log: log.child({ component: 'kube' }),
    checkMs: config.driftCheckSeconds * 1000
  })
  const nodes = new JoinedNodes(reader.stores)
  const stores = { ...reader.stores, nodes }
  const sources = openSources(config, {
    connection,
    stores,
    log: log.child({ component: 'source' })
  })
  log.info({ config, cluster: connection.serverUrl }, 'controller starts')
  const { systemNamespaces } = config
  metrics.watchStores({ ...stores })
  metrics.watchCensus(censusTaker({ stores, systemNamespaces, nowMs: () => systemClock.nowMs() }))
  try {
    const health = await serveHealth({
      listen: { host: config.listenHost, port: config.healthPort },
      stores,
      metrics,
      log
    })
    try {
      await reader.whenSynced(ending)
      await lead(ending, config, { connection, stores, sources, metrics, log })
    } finally {
      await health.close()
    }
  } catch (error) {
    if (!ending.aborted) throw error // a signal while starting is an end like any other
  } finally {
    await sources.source.close()
    nodes.close()
    await reader.stop()
    await connection.close()
    log.info({}, 'controller stopped')
  }
}

interface LeadParts {
  readonly connection: KubeConnection
  readonly stores: TellerStores & RescueStores & TemplateKeeperParts['stores']
  readonly sources: Sources
  readonly metrics: ControllerMetricsPage
  readonly log: RootLog
}

async function lead(ending: AbortSignal, config: Config, parts: LeadParts): Promise<void> {
  const { connection, stores, sources, metrics, log } = parts
  const shared = { stores, clock: systemClock, random: Math.random, metrics }
  const identity = `${hostname()}_${randomUUID()}`
  const sink = createEventSink(connection, { component: 'rightslice-controller', instance: identity })
  const settings = { systemNamespaces: config.systemNamespaces, schedulers: config.schedulers }
  const reader = pageReader(connection)
  const sweep = new Sweep({
    ...shared,
    reader,
    sink,
    ...(config.policyReports ? { reports: policyReportStore({ connection, ...shared }) } : {}),
    settings,
    sweepMs: config.sweepSeconds * 1000,
    log: log.child({ component: 'sweep' })
  })
  const refresh = new Refresh({
    ...shared,
    source: sources.source,
    ...(sources.kept === undefined ? {} : { kept: sources.kept }),
    writer: createWriter({ connection, ...shared }),
    reader,
    isolationOf: (namespace, key) => sweep.isolationOf(namespace, key),
    settings,
    refreshMs: config.refreshSeconds * 1000,
    forgetAfterMs: config.forgetAfterHours * 3_600_000,
    log: log.child({ component: 'refresh' })
  })
  const keeper = new IsolationKeeper({
    ...shared,
    sink,
    rules: rulesConfigMap(connection, config.ownNamespace),
    writer: createWriter({ connection, ...shared }),
    systemNamespaces: config.systemNamespaces,
    log: log.child({ component: 'isolation' })
  })
  const rescue = new Rescue({
    ...shared,
    writer: createWriter({ connection, ...shared }, 'rightslice-rescue'),
    evictor: podEvictor(connection),
    sink,
    log: log.child({ component: 'rescue' })
  })
  const canary = new Canary({
    ...shared,
    writer: createWriter({ connection, ...shared }, 'rightslice-canary'),
    sink,
    log: log.child({ component: 'canary' })
  })
  const templates = new TemplateKeeper({
    ...shared,
    writer: claimTemplateWriter({ connection, ...shared }),
    systemNamespaces: config.systemNamespaces,
    retiredMs: config.staleSeconds * 1000 + RETIRED_FURTHER_MS,
    log: log.child({ component: 'claims' })
  })
  const events = new EventTeller({ ...shared, sink, log: log.child({ component: 'events' }) })
  const elector = new Elector({
    ...shared,
    lease: leaseIn(connection, { namespace: config.ownNamespace, name: config.leaseName }),
    identity,
    log: log.child({ component: 'lease' }),
    onChange: (leads) => metrics.leads(leads)
  })
  metrics.leads(false)
  const work = async (signal: AbortSignal): Promise<void> => {
    // What is scraped can be read after the first round; a reading before it would say that there is no history.
    const { promise: firstRound, resolve: onRound } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => onRound(), { once: true })
    const refreshing = firstRound.then(() => refresh.run(signal))
    await Promise.all([
      refreshing,
      events.run(signal),
      keeper.run(signal),
      templates.run(signal),
      sweep.run(signal),
      rescue.run(signal),
      canary.run(signal),
      sources.scrape(signal, onRound)
    ])
  }
  await elector.run(ending, work, (signal) => refresh.save(signal))
}

/** Mirrors what the controller looks at; of pods and quotas only those that have to do with GPUs, of Events those that tell of our refusals. */
function readCluster(means: MirrorMeans) {
  return startReading({
    ...commonMirrors(means, {
      policy: readPolicyObject,
      workload: readWorkloadObject,
      exemption: readExemptionObject
    }),
    ...deviceMirrors(means, 'all'),
    pods: mirror(means, {
      resource: { path: '/api/v1/pods', kind: 'Pod' },
      pageSize: LONG_PAGE_SIZE,
      project: readPodRecord
    }),
    quotas: quotaMirror(means),
    refusals: mirror(means, {
      resource: { path: '/api/v1/events', kind: 'Event', fieldSelector: `reason=${FAILED_CREATE}` },
      project: readRefusalRecord
    })
  })
}
