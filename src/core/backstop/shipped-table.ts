import { PRODUCT_NAMESPACE, RULES_CONFIG_MAP } from '../api/names.ts'
import { defaultTable } from './rule-table.ts'

/** The table as it is installed, with the levels that are built in; the controller keeps it from then on. */
export function shippedTable(): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: RULES_CONFIG_MAP,
      namespace: PRODUCT_NAMESPACE,
      labels: {
        'app.kubernetes.io/name': 'rightslice',
        'app.kubernetes.io/component': 'admission-policy'
      }
    },
    data: defaultTable()
  }
}
