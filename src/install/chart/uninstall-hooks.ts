import { fieldOf, type JsonRecord } from '../../core/json.ts'
import { objectYaml } from '../object-yaml.ts'
import { escaped } from './template.ts'

/** Kinds that have to go before anything else, in this order. */
const first = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicyBinding'
] as const

/**
 * Helm removes kinds that it does not know last, when the pods that answer for a webhook are long gone. A hook before the removal, of the
 * same name and kind, has Helm remove the object first; what it makes in its place asks nobody, and goes as soon as it is there. No image
 * and no right of ours is needed for it.
 */
export function uninstallHooks(objects: readonly JsonRecord[]): string {
  const hooks = first.flatMap((kind, index) =>
    objects.filter((object) => object['kind'] === kind).map((object) => hookOf(object, index - first.length))
  )
  return hooks.map((hook) => `---\n${escaped(objectYaml(hook))}`).join('')
}

function hookOf(object: JsonRecord, weight: number): JsonRecord {
  const annotations = {
    'helm.sh/hook': 'pre-delete',
    'helm.sh/hook-weight': String(weight),
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded'
  }
  const harmless = object['kind'] === 'ValidatingAdmissionPolicyBinding' ? {} : { webhooks: [] }
  return { ...object, metadata: { ...Object(fieldOf(object, 'metadata')), annotations }, ...harmless }
}
