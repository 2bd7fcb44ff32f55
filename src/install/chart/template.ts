import { objectYaml } from '../object-yaml.ts'
import { renderObject, type SourceObject } from '../render.ts'
import type { InstallValues } from '../values.ts'

/** A value that decides what an object is, with the two that it may have; the first one is Helm's `if`. */
interface Switch {
  readonly condition: string
  readonly options: readonly [Partial<InstallValues>, Partial<InstallValues>]
}

const switches: readonly Switch[] = [
  {
    condition: 'eq .Values.certificates "managed"',
    options: [{ certificates: 'managed' }, { certificates: 'cert-manager' }]
  },
  { condition: '.Values.networkPolicy', options: [{ networkPolicy: true }, { networkPolicy: false }] },
  { condition: '.Values.podMonitor', options: [{ podMonitor: true }, { podMonitor: false }] }
]

/** Texts that no manifest holds, in place of the values that are written out. */
const marks = {
  image: 'MARK-OF-IMAGE',
  webhookReplicas: 900_001,
  controllerReplicas: 900_002,
  setting: 'MARK-OF-SETTINGS'
}

const marked: InstallValues = {
  image: marks.image,
  webhookReplicas: marks.webhookReplicas,
  controllerReplicas: marks.controllerReplicas,
  certificates: 'managed',
  networkPolicy: true,
  podMonitor: false,
  settings: { logLevel: marks.setting }
}

/**
 * An object as a template for Helm: what `renderObject` makes of it for every combination of values, told apart by conditions where they
 * differ. So the chart cannot say anything else than the manifests.
 */
export function objectTemplate(source: SourceObject): string {
  return branches(source, marked, switches)
}

function branches(source: SourceObject, values: InstallValues, left: readonly Switch[]): string {
  const [first, ...others] = left
  if (first === undefined) return textOf(source, values)
  const [yes, no] = first.options.map((option) => branches(source, { ...values, ...option }, others))
  if (yes === no) return yes ?? ''
  if (no === '') return `{{- if ${first.condition} }}\n${yes ?? ''}{{- end }}\n`
  if (yes === '') return `{{- if not (${first.condition}) }}\n${no ?? ''}{{- end }}\n`
  return `{{- if ${first.condition} }}\n${yes ?? ''}{{- else }}\n${no ?? ''}{{- end }}\n`
}

function textOf(source: SourceObject, values: InstallValues): string {
  const object = renderObject(source, values)
  return object === undefined ? '' : `---\n${withValues(escaped(objectYaml(object)))}`
}

/** What Helm would take for its own is left as it is. */
export function escaped(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}')
}

function withValues(text: string): string {
  return text
    .replaceAll(marks.image, '{{ .Values.image | quote }}')
    .replaceAll(String(marks.webhookReplicas), '{{ .Values.webhookReplicas }}')
    .replaceAll(String(marks.controllerReplicas), '{{ .Values.controllerReplicas }}')
    .replace(/^( *)- name: \w+\n *value: MARK-OF-SETTINGS\n/gm, (_found, indent: string) =>
      settingsBlock(indent)
    )
}

/** Helm's snakecase makes `prometheus_url` of `prometheusUrl`, as our own variables are named. */
function settingsBlock(indent: string): string {
  return [
    '{{- range $key, $value := .Values.settings }}',
    `${indent}- name: RIGHTSLICE_{{ $key | snakecase | upper }}`,
    `${indent}  value: {{ $value | quote }}`,
    '{{- end }}',
    ''
  ].join('\n')
}
