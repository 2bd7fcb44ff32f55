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
 * How much longer references may make all texts of one pod together, characters: 16 of the longest. A pod of 3 MiB that repeats one
 * reference would hold 300 MiB of text, to be looked through by every rule.
 */
const MAX_GROWTH = 16 * MAX_TEXT

/**
 * Reads the environment entries of the containers of one pod, one container after the other, with `$(NAME)` resolved as kubelet does:
 * from entries that come before, `$$` stands for `$`, and a name that nobody defines stays as it is written.
 */
export function environmentReader(): (container: unknown) => readonly EnvVariable[] {
  let growth = 0
  return (container) => {
    const known = new Map<string, EnvVariable['content']>()
    const hasUnseen = listOf(container, 'envFrom').length > 0
    return listOf(container, 'env').flatMap((entry) => {
      const name = stringOf(entry, 'name')
      if (name === undefined) return []
      const read = contentOf(entry, { known, hasUnseen, left: MAX_GROWTH - growth })
      growth += read.growth
      known.set(name, read.content)
      return { name, content: read.content }
    })
  }
}

/** What is known when an entry is read. */
interface Around {
  readonly known: ReadonlyMap<string, EnvVariable['content']>
  readonly hasUnseen: boolean
  /** How much references may still add, characters. */
  readonly left: number
}

/** What an entry holds, and how much longer its references made it. */
interface Read {
  readonly content: EnvVariable['content']
  readonly growth: number
}

function contentOf(entry: unknown, around: Around): Read {
  const source = fieldOf(entry, 'valueFrom')
  if (source !== undefined && source !== null) return { content: referenced(source), growth: 0 }
  const text = stringOf(entry, 'value') ?? ''
  return text.includes('$') ? resolve(text, around) : { content: { kind: 'text', text }, growth: 0 }
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

const endless: EnvVariable['content'] = { kind: 'field', from: 'references that grow too long' }

/** After the last bracket no reference ends, so none is looked for: each beginning of one would be followed to the end of the text. */
function resolve(text: string, { known, hasUnseen, left }: Around): Read {
  if (text.length > MAX_TEXT) return { content: endless, growth: 0 }
  const most = Math.min(left, MAX_TEXT - text.length)
  let field: string | undefined
  let unseen: string | undefined
  let growth = 0
  const end = text.lastIndexOf(')') + 1
  const head = text.slice(0, end).replace(reference, (match, name?: string) => {
    if (growth > most) return ''
    if (name === undefined) return '$'
    const content = known.get(name)
    if (content?.kind === 'text') {
      growth += content.text.length
      return growth > most ? '' : content.text
    }
    if (content?.kind === 'field') field = content.from
    else if (content !== undefined) unseen = content.from
    else if (hasUnseen) unseen = 'envFrom'
    return match
  })
  if (growth > most) return { content: endless, growth: 0 }
  if (field !== undefined) return { content: { kind: 'field', from: field }, growth }
  if (unseen !== undefined) return { content: { kind: 'unseen', from: unseen }, growth }
  const tail = text.slice(end).replaceAll('$$', () => '$')
  return { content: { kind: 'text', text: head + tail }, growth }
}
