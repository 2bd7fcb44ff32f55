import { supportedReleases } from '../../core/api/kubernetes-range.ts'
import { PRODUCT_NAMESPACE } from '../../core/api/names.ts'
import { fieldOf, isRecord } from '../../core/json.ts'
import { objectYaml } from '../object-yaml.ts'
import type { SourceObject } from '../render.ts'
import { InstallValues, valueSentences } from '../values.ts'
import { objectTemplate } from './template.ts'
import { uninstallHooks } from './uninstall-hooks.ts'
import { valuesSchema } from './values-schema.ts'

const MADE = 'Made from manifests/ and src/install by "npm run chart"; change these, not this file.'

/** Files of the Helm chart by their paths in its folder; the same on every call. */
export function chartFiles(sources: readonly SourceObject[], version: string): ReadonlyMap<string, string> {
  const byFile = Map.groupBy(sources, ({ file }) => file)
  const templates = [...byFile].map(
    ([file, own]) => [`templates/${file}`, `{{- /* ${MADE} */}}\n${own.map(template).join('')}`] as const
  )
  const objects = sources.flatMap(({ origin, object }) => (origin === 'base' ? [object] : []))
  return new Map([
    ['Chart.yaml', chartYaml(version)],
    ['values.yaml', valuesYaml()],
    ['values.schema.json', `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    ...templates,
    ['templates/uninstall-hooks.yaml', `{{- /* ${MADE} */}}\n${uninstallHooks(objects)}`],
    ['templates/NOTES.txt', NOTES]
  ])
}

/** The namespace of the release is there before it; of our own kinds users keep what they wrote. */
function template(source: SourceObject): string {
  const { object } = source
  if (object['kind'] === 'Namespace')
    return `{{- if ne .Release.Namespace "${PRODUCT_NAMESPACE}" }}\n${objectTemplate(source)}{{- end }}\n`
  if (object['kind'] !== 'CustomResourceDefinition') return objectTemplate(source)
  const metadata = fieldOf(object, 'metadata')
  const annotations = { 'helm.sh/resource-policy': 'keep' }
  const kept = { ...(isRecord(metadata) ? metadata : {}), annotations }
  return objectTemplate({ ...source, object: { ...object, metadata: kept } })
}

function chartYaml(version: string): string {
  return `# ${MADE}\n${objectYaml({
    apiVersion: 'v2',
    name: 'rightslice',
    description: 'Gives each GPU workload the smallest GPU share that its measured peak fits.',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: `>=${supportedReleases.oldest}.0-0`
  })}`
}

function valuesYaml(): string {
  const defaults = Object.entries(InstallValues.parse({}))
  const sentences = new Map<string, string>(Object.entries(valueSentences))
  const parts = defaults.map(
    ([key, value]) => `# ${sentences.get(key) ?? ''}\n${objectYaml({ [key]: value })}`
  )
  return `# ${MADE}\n${parts.join('')}`
}

const NOTES = `Nothing is looked at before a namespace opts in:
  kubectl label namespace NAME rightslice.dev/rightsize=warn

See whether all is well:
  rightslice check --wait 2m
{{- if eq .Release.Namespace "${PRODUCT_NAMESPACE}" }}

The namespace of this release is not in it. Have its pods held to the level that they keep to:
  kubectl label namespace ${PRODUCT_NAMESPACE} pod-security.kubernetes.io/enforce=restricted
{{- end }}
`
