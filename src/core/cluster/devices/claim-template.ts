import { sliceLabel } from '../../api/names.ts'
import { toDottedProfile } from '../../gpu/profile.ts'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf } from '../../json.ts'
import { GPU_DRIVER } from './gpu-driver.ts'

/** What a claim asks for: one device of a profile, from a class. */
export interface ClaimAsk {
  readonly profile: string
  readonly deviceClass: string
}

/** A ResourceClaimTemplate of ours. */
export interface ClaimTemplate {
  readonly namespace: string
  readonly name: string
  /** What its claims ask for; undefined where that is nothing that we would ask for. */
  readonly asks: ClaimAsk | undefined
  /** Whether it has our label, by which it is found. */
  readonly labelled: boolean
  /** Whether it is about to be removed, so that no pod may be given it any more. */
  readonly retired: boolean
  /** Who wrote any of it, by the names of field managers. */
  readonly managers: readonly string[]
}

/** Value of the label on a template that is about to be removed. */
export const RETIRED = 'retired'

/** What begins the name of every template of ours. */
export const TEMPLATE_PREFIX = 'rightslice-'

/** Whether a template is ours by its name. */
export function isOwnTemplate(name: string | undefined): name is string {
  return name?.startsWith(TEMPLATE_PREFIX) === true
}

/** Name of the template of a profile: `rightslice-1g-10gb-me` for `1g.10gb+me`, `rightslice-1g-24gb-no-me` for `1g.24gb-me`. */
export function templateName(profile: string): string {
  const dotted = toDottedProfile(profile).replace('-me', '-no-me')
  return `${TEMPLATE_PREFIX}${dotted.replaceAll('.', '-')}`
}

/** Label value by which templates are found: `mig-1g.10gb`. */
export function templateLabel(profile: string): string {
  return `mig-${toDottedProfile(profile)}`
}

/** The `spec` of a template. It takes a device by its profile, and fails on no device that has none. */
export function claimTemplateSpec({ profile, deviceClass }: ClaimAsk): JsonRecord {
  const request = {
    name: 'gpu',
    exactly: {
      deviceClassName: deviceClass,
      allocationMode: 'ExactCount',
      count: 1,
      selectors: [{ cel: { expression: expressionFor(profile) } }]
    }
  }
  return { spec: { devices: { requests: [request] } } }
}

function expressionFor(profile: string): string {
  const attributes = `device.attributes['${GPU_DRIVER}']`
  return `device.driver == '${GPU_DRIVER}' && 'profile' in ${attributes} && ${attributes}.profile == '${profile}'`
}

/** Reads a ResourceClaimTemplate that has our label, or a name as ours have; undefined for every other. Never throws. */
export function readClaimTemplate(raw: unknown): ClaimTemplate | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const [namespace, name] = [stringOf(metadata, 'namespace'), stringOf(metadata, 'name')]
  const label = stringOf(fieldOf(metadata, 'labels'), sliceLabel)
  if (namespace === undefined || name === undefined) return undefined
  if (label === undefined && !isOwnTemplate(name)) return undefined
  return {
    namespace,
    name,
    asks: asksOf(raw, name),
    labelled: label !== undefined,
    retired: label === RETIRED,
    managers: listOf(metadata, 'managedFields').flatMap((entry) => stringOf(entry, 'manager') ?? [])
  }
}

/** A template may be anybody's and say anything: only one that says what ours says is believed. */
function asksOf(raw: unknown, name: string): ClaimAsk | undefined {
  const spec = fieldAt(raw, 'spec', 'spec')
  const [request] = listOf(fieldOf(spec, 'devices'), 'requests')
  const exactly = fieldOf(request, 'exactly')
  const deviceClass = stringOf(exactly, 'deviceClassName')
  const [selector] = listOf(exactly, 'selectors')
  const expression = fieldAt(selector, 'cel', 'expression')
  const profile = typeof expression === 'string' ? /\.profile == '([^']+)'$/.exec(expression)?.[1] : undefined
  if (deviceClass === undefined || profile === undefined || name !== templateName(profile)) return undefined
  const asks = { profile, deviceClass }
  return isSame(spec, claimTemplateSpec(asks)['spec']) ? asks : undefined
}

/** Equal as JSON, in whatever order the fields are. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => [key, sorted(field)] as const)
      .sort(([x], [y]) => (x < y ? -1 : 1))
  )
}
