import type { ClaimTemplate } from '../core/cluster/devices/claim-template.ts'
import type { NodeView } from '../core/cluster/node-view.ts'
import type { NamespaceView, OwnerView } from '../gather/cluster-state.ts'
import type { PodRecord } from '../gather/pod-record.ts'
import type { ObjectStore } from '../ports/object-store.ts'
import type { ExemptionObject } from './exemptions/exemption-object.ts'
import type { PolicyObject } from './policies/policy-object.ts'
import type { WorkloadObject } from './workloads/workload-object.ts'

/** The part of the cluster that the controller mirrors. */
export interface ControllerStores {
  readonly nodes: ObjectStore<NodeView>
  readonly namespaces: ObjectStore<NamespaceView>
  readonly policies: ObjectStore<PolicyObject>
  readonly workloads: ObjectStore<WorkloadObject>
  readonly pods: ObjectStore<PodRecord>
  readonly replicaSets: ObjectStore<OwnerView>
  readonly jobs: ObjectStore<OwnerView>
  readonly exemptions: ObjectStore<ExemptionObject>
  /** Absent where nobody looks for them. */
  readonly claimTemplates?: ObjectStore<ClaimTemplate>
}

/** The namespace; one that is not known (yet) has no labels. */
export function namespaceLookup({
  namespaces
}: Pick<ControllerStores, 'namespaces'>): (name: string) => NamespaceView {
  return (name) => namespaces.get('', name) ?? { name, labels: {} }
}

/** The namespace with its templates for claims, as they are now. */
export function shareNamespaceLookup(
  stores: Pick<ControllerStores, 'namespaces' | 'claimTemplates'>
): (name: string) => NamespaceView {
  const lookup = namespaceLookup(stores)
  const templates = Map.groupBy(stores.claimTemplates?.list() ?? [], ({ namespace }) => namespace)
  return (name) => {
    const own = templates.get(name)
    return own === undefined ? lookup(name) : { ...lookup(name), claimTemplates: own }
  }
}
