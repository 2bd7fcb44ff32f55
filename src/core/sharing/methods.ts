import { type MethodName, methodNames } from '../api/method-names.ts'
import { dra } from './dra.ts'
import { gke } from './gke.ts'
import { hami } from './hami.ts'
import type { SharingMethod } from './method.ts'
import { migMixed } from './mig-mixed.ts'
import { migSingle } from './mig-single.ts'
import { mps } from './mps.ts'
import { timeSlicing } from './time-slicing.ts'

const byName: Readonly<Record<MethodName, SharingMethod>> = {
  'mig-mixed': migMixed,
  'mig-single': migSingle,
  'time-slicing': timeSlicing,
  mps,
  gke,
  dra,
  hami
}

/** Every sharing method that the engine knows. Adding one to the table is all that the engine needs. */
export const sharingMethods: readonly SharingMethod[] = methodNames.map((name) => byName[name])

/** Keys of labels and taints by which methods tell their shares. */
export const shareKeys: ReadonlySet<string> = new Set(sharingMethods.flatMap(({ ownKeys = [] }) => ownKeys))

/** The method that made an offer. */
export function methodNamed(name: MethodName): SharingMethod {
  return byName[name]
}
