import { fieldOf, listOf, stringOf } from '../json.ts'

/** One entry of a container's environment. */
export interface EnvVariable {
  readonly name: string
  /**
   * What it holds: a text with its references resolved; a `field` of the pod, which its owner may change until the
   * container starts, or what nobody would write so: references to such a field, or that grow too long; or something `unseen`,
   * in a ConfigMap, Secret or file.
   */
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'field'; readonly from: string }
    | { readonly kind: 'unseen'; readonly from: string }
}

/** Longest text that references are resolved to, characters: entries that double each other would fill the memory. */
const MAX_TEXT = 4096

/**
 * The environment entries of a container, with `$(NAME)` resolved as kubelet does: from entries that come before, `$$`
 * stands for `$`, and a name that nobody defines stays as it is written.
 */
export function readEnvironment(raw: unknown): readonly EnvVariable[] {
  const known = new Map<string, EnvVariable['content']>()
  const hasUnseen = listOf(raw, 'envFrom').length > 0
  return listOf(raw, 'env').flatMap((entry) => {
    const name = stringOf(entry, 'name')
    if (name === undefined) return []
    const content = contentOf(entry, known, hasUnseen)
    known.set(name, content)
    return { name, content }
  })
}

type Known = ReadonlyMap<string, EnvVariable['content']>

function contentOf(entry: unknown, known: Known, hasUnseen: boolean): EnvVariable['content'] {
  const source = fieldOf(entry, 'valueFrom')
  if (source !== undefined && source !== null) return referenced(source)
  const text = stringOf(entry, 'value') ?? ''
  return text.includes('$') ? resolve(text, known, hasUnseen) : { kind: 'text', text }
}

function referenced(source: unknown): EnvVariable['content'] {
  const field = fieldOf(source, 'fieldRef')
  if (field !== undefined) return { kind: 'field', from: stringOf(field, 'fieldPath') ?? 'a field' }
  const resource = fieldOf(source, 'resourceFieldRef')
  if (resource !== undefined) return { kind: 'field', from: stringOf(resource, 'resource') ?? 'a resource' }
  const kinds = { configMapKeyRef: 'ConfigMap', secretKeyRef: 'Secret' } as const
  for (const [key, kind] of Object.entries(kinds)) {
    const name = stringOf(fieldOf(source, key), 'name')
    if (name !== undefined) return { kind: 'unseen', from: `${kind} ${name}` }
  }
  return { kind: 'unseen', from: 'a source outside the pod' }
}

const reference = /\$(?:\$|\(([^)]*)\))/g

function resolve(text: string, known: Known, hasUnseen: boolean): EnvVariable['content'] {
  let field: string | undefined
  let unseen: string | undefined
  let length = text.length
  const resolved = text.replace(reference, (match, name?: string) => {
    if (length > MAX_TEXT) return ''
    if (name === undefined) return '$'
    const content = known.get(name)
    if (content?.kind === 'text') {
      length += content.text.length
      return content.text
    }
    if (content?.kind === 'field') field = content.from
    else if (content !== undefined) unseen = content.from
    else if (hasUnseen) unseen = 'envFrom'
    return match
  })
  if (length > MAX_TEXT) return { kind: 'field', from: 'references that grow too long' }
  if (field !== undefined) return { kind: 'field', from: field }
  return unseen === undefined ? { kind: 'text', text: resolved } : { kind: 'unseen', from: unseen }
}
