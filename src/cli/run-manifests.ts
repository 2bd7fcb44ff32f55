import { parseValues } from '../install/parse-values.ts'
import { renderInstallation } from '../install/render.ts'
import { readSources } from '../install/sources.ts'
import { uninstallPlan, uninstallText } from '../install/uninstall.ts'
import type { TextSink } from './convert.ts'
import { type ManifestTarget, manifestYaml, putManifest } from './manifest.ts'

const COMMENT = 'Everything of Rightslice, in the order in which it is applied: kubectl apply -f FILE'

/**
 * `rightslice manifests [--set KEY=VALUE]…`: prints what an installation consists of, or writes it to a file.
 * @throws AppError USAGE_WRONG when a value is not one that may be chosen
 */
export async function runManifests({
  set,
  ...target
}: ManifestTarget & { readonly set: readonly string[] }): Promise<void> {
  const values = parseValues(set)
  await putManifest(manifestYaml(COMMENT, renderInstallation(await readSources(), values)), target)
}

/** `rightslice uninstall --plan`: prints the commands that remove an installation; runs none of them. */
export async function runUninstall(stdout: TextSink): Promise<void> {
  const objects = (await readSources()).map(({ object }) => object)
  stdout.write(uninstallText(uninstallPlan(objects)))
}
