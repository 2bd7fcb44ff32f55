import { admissionPolicies } from '../core/backstop/admission-policies.ts'
import { type ManifestTarget, manifestYaml, putManifest } from './manifest.ts'

const COMMENT =
  'Made from the tables in src/core/backstop by "npm run policies"; change these, not this file.'

/** The manifest of all admission policies, as YAML; the same on every call. */
export function policiesYaml(): string {
  return manifestYaml(COMMENT, admissionPolicies())
}

/** `rightslice policies [--out FILE]`: prints what the API server checks by itself, or writes it to a file. */
export async function runPolicies(target: ManifestTarget): Promise<void> {
  await putManifest(policiesYaml(), target)
}
