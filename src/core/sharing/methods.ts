import { dra } from './dra.ts'
import type { SharingMethod } from './method.ts'
import { migMixed } from './mig-mixed.ts'
import { timeSlicing } from './time-slicing.ts'

/** Every sharing method that the engine knows. Adding one here is all that the engine needs. */
export const sharingMethods: readonly SharingMethod[] = [migMixed, timeSlicing, dra]

/** The method that made an offer. */
export function methodNamed(name: SharingMethod['name']): SharingMethod | undefined {
  return sharingMethods.find((method) => method.name === name)
}
