/** Longest role, characters; as the schema of GpuWorkload says. */
const MAX_ROLE = 253

/** A dash and eight hexadecimal digits tell apart what would have one name. */
const OWN_PART = 9

/**
 * The role of a workload from what a pod says, which for some is an annotation and so any text: printable ASCII of at most 253
 * characters. Where that changes the text, eight digits that follow from it are added, so that two roles stay two; a role that is one
 * already stays as it is.
 * @example `fit\u001b[31m` gives `fit?[31m-` and eight digits
 */
export function toRoleName(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?')
  if (clean === text && text.length <= MAX_ROLE) return text
  return `${clean.slice(0, MAX_ROLE - OWN_PART)}-${digestOf(text)}`
}

/** FNV-1a over UTF-16 code units, 32 bits in hexadecimal: who looks for a text with the same digits only mixes roles of its own. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
