import { Environment } from '@marcbachmann/cel-js'
import { parseQuantity } from '../../api/quantity.ts'
import { type AttributeValue, type ByDomain, type Device, individualAttributes } from './device.ts'

/** Whether a class takes a device; `unknown` where its selectors are not understood, or fail on the device. */
export type Match = 'yes' | 'no' | 'unknown'

/** Tells whether selectors take a device. */
export type Selector = (device: Device) => Match

/** An amount of a capacity, in billionths. */
class CelQuantity {
  readonly nano: bigint

  constructor(nano: bigint) {
    this.nano = nano
  }
}

/** A version by its three numbers. */
class CelVersion {
  readonly numbers: readonly number[]

  constructor(numbers: readonly number[]) {
    this.numbers = numbers
  }
}

/**
 * CEL as the scheduler has it for devices, as far as classes use it. What is missing here makes an expression that is not
 * understood, never one that is understood otherwise.
 * @source k8s.io/dynamic-resource-allocation cel/compile.go
 */
const environment = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true
})
  .registerType('Quantity', CelQuantity)
  .registerType('Semver', CelVersion)
  .registerVariable('device', 'map')
  .registerFunction('quantity(string): Quantity', toQuantity)
  .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) =>
    signOf(a.nano, b.nano)
  )
  .registerFunction(
    'Quantity.isGreaterThan(Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => a.nano > b.nano
  )
  .registerFunction(
    'Quantity.isLessThan(Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => a.nano < b.nano
  )
  .registerFunction('semver(string): Semver', toVersion)
  .registerFunction('Semver.compareTo(Semver): int', (a: CelVersion, b: CelVersion) => compareVersions(a, b))
  .registerFunction(
    'Semver.isGreaterThan(Semver): bool',
    (a: CelVersion, b: CelVersion) => compareVersions(a, b) > 0n
  )
  .registerFunction(
    'Semver.isLessThan(Semver): bool',
    (a: CelVersion, b: CelVersion) => compareVersions(a, b) < 0n
  )

/**
 * Reads the selectors of a class. A device is taken when all of them say so, one after the other.
 * One that goes by what is different on every device is not understood.
 */
export function selectorOf(expressions: readonly string[]): Selector {
  const programs = expressions.map(programOf)
  return (device) => {
    for (const program of programs) {
      const match = program(device)
      if (match !== 'yes') return match
    }
    return 'yes'
  }
}

/** Longest expression that is read; Kubernetes takes 10 KiB. */
const LONGEST = 10_240

function programOf(expression: string): Selector {
  const words = expression.match(/[A-Za-z_]\w*/g) ?? []
  if (expression.length > LONGEST || words.some((word) => individualAttributes.has(word) || word === NEWER))
    return () => 'unknown'
  try {
    const run = environment.parse(expression)
    const domains = domainsIn(expression)
    return (device) => evaluate(run, valuesOf(device, domains))
  } catch {
    return () => 'unknown'
  }
}

/** A field of devices that came later than the others, and that those without it lack. */
const NEWER = 'allowMultipleAllocations'

/** Texts in square brackets: a domain that no attribute is in is there nonetheless, and empty. */
function domainsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/g)].map(
    ([, single, double]) => single ?? double ?? ''
  )
}

function evaluate(
  run: (context: Record<string, unknown>) => unknown,
  device: Record<string, unknown>
): Match {
  try {
    const value = run({ device })
    if (typeof value !== 'boolean') return 'unknown'
    return value ? 'yes' : 'no'
  } catch {
    return 'unknown'
  }
}

function valuesOf(
  { driver, attributes, capacity }: Device,
  domains: readonly string[]
): Record<string, unknown> {
  return {
    driver,
    attributes: toMaps(attributes, domains, celValueOf),
    capacity: toMaps(capacity, domains, toQuantity)
  }
}

function toMaps<T>(
  values: ByDomain<T>,
  domains: readonly string[],
  convert: (value: T) => unknown
): Map<string, Map<string, unknown>> {
  const empty = domains.map((domain): [string, Map<string, unknown>] => [domain, new Map()])
  const own = Object.entries(values).map(([domain, entries]): [string, Map<string, unknown>] => [
    domain,
    new Map(Object.entries(entries).map(([id, value]) => [id, convert(value)]))
  ])
  return new Map([...empty, ...own])
}

function celValueOf(value: AttributeValue): unknown {
  if (typeof value === 'number') return BigInt(value)
  return typeof value === 'object' ? toVersion(value.version) : value
}

function toQuantity(text: string): CelQuantity {
  const quantity = parseQuantity(text)
  if (quantity === undefined) throw new RangeError('not a quantity')
  return new CelQuantity(quantity.nano)
}

/** A version with more to it than three numbers is compared by rules that are not kept here. */
function toVersion(text: string): CelVersion {
  if (!/^\d{1,9}(?:\.\d{1,9}){2}$/.test(text)) return new CelVersion([])
  return new CelVersion(text.split('.').map(Number))
}

function compareVersions(a: CelVersion, b: CelVersion): bigint {
  if (a.numbers.length + b.numbers.length < 6) throw new RangeError('not a plain version')
  const at = a.numbers.findIndex((number, index) => number !== b.numbers[index])
  return signOf(a.numbers[at] ?? 0, b.numbers[at] ?? 0)
}

function signOf<T extends number | bigint>(a: T, b: T): bigint {
  return BigInt(Number(a > b) - Number(a < b))
}
