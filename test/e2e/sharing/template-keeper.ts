import { commonMirrors, startReading } from '../../../src/compose/cluster-reader.ts'
import { deviceMirrors } from '../../../src/compose/device-mirrors.ts'
import { TemplateKeeper } from '../../../src/controllers/claims/template-keeper.ts'
import { readExemptionObject } from '../../../src/controllers/exemptions/exemption-object.ts'
import { readPolicyObject } from '../../../src/controllers/policies/policy-object.ts'
import { readWorkloadObject } from '../../../src/controllers/workloads/workload-object.ts'
import { JoinedNodes } from '../../../src/gather/devices/joined-nodes.ts'
import { claimTemplateWriter } from '../../../src/kube/claim-templates.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { connectCluster } from '../../../src/kube/connection.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { MemoryLog } from '../../fakes/memory-log.ts'

/** A keeper of templates in this process, which removes what is retired at once. */
export interface HastyKeeper {
  readonly round: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a keeper with the permissions of the manifests. */
export async function startTemplateKeeper(bed: Bed): Promise<HastyKeeper> {
  const connection = await connectCluster({ kubeconfig: bed.kubeconfig('controller') })
  const log = new MemoryLog()
  const means = { connection, log }
  const reader = startReading({
    ...commonMirrors(means, {
      policy: readPolicyObject,
      workload: readWorkloadObject,
      exemption: readExemptionObject
    }),
    ...deviceMirrors(means, 'all')
  })
  const { signal } = new AbortController()
  await reader.whenSynced(signal)
  const nodes = new JoinedNodes(reader.stores)
  const keeper = new TemplateKeeper({
    stores: { ...reader.stores, nodes },
    writer: claimTemplateWriter({ connection, clock: systemClock, random: Math.random }),
    systemNamespaces: [],
    retiredMs: 0,
    clock: systemClock,
    log
  })
  return {
    round: () => keeper.round(signal),
    stop: async () => {
      nodes.close()
      await reader.stop()
      await connection.close()
    }
  }
}
