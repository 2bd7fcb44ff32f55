import { toCustomResourceDefinitions } from '../core/api/crd.ts'
import { type ManifestTarget, manifestYaml, putManifest } from './manifest.ts'

const COMMENT = 'Made from the schemas in src/core/api by "npm run crd"; change these, not this file.'

/** The manifest of all custom resources, as YAML; the same on every call. */
export function crdYaml(): string {
  return manifestYaml(COMMENT, toCustomResourceDefinitions())
}

/** `rightslice crd [--out FILE]`: prints the custom resource definitions, or writes them to a file. */
export async function runCrd(target: ManifestTarget): Promise<void> {
  await putManifest(crdYaml(), target)
}
