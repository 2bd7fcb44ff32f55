import { stringify } from 'yaml'

/** kubectl reads YAML 1.1, where a bare `Off` is the boolean false: such words must be quoted. */
const style = { schema: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const

/** An object as YAML; the same on every call. */
export function objectYaml(object: object): string {
  return stringify(object, style)
}
