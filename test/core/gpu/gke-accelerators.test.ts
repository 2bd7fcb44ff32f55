import t from 'tap'
import { findGkeGpu, gkeAccelerators } from '../../../src/core/gpu/gke-accelerators.ts'

t.test('[GPU14] every accelerator is there once, with a source and a size', async (t) => {
  t.equal(new Set(gkeAccelerators.map(({ name }) => name)).size, gkeAccelerators.length)
  for (const { name, productLabel, source } of gkeAccelerators) {
    t.match(name, /^nvidia-[a-z0-9-]+$/)
    t.match(source, /^https:\/\/docs\.cloud\.google\.com\//)
    t.equal(findGkeGpu(name)?.model === undefined, productLabel === undefined, `${name} is in the catalogue`)
  }
})

const models = [
  ['nvidia-tesla-a100', 'a100-sxm4-40gb', 40_960],
  ['nvidia-a100-80gb', 'a100-sxm4-80gb', 81_920],
  ['nvidia-h100-80gb', 'h100-sxm5-80gb', 81_559],
  ['nvidia-h100-mega-80gb', 'h100-sxm5-80gb', 81_559],
  ['nvidia-h200-141gb', 'h200-sxm-141gb', 143_771],
  ['nvidia-b200', 'b200-180gb', 183_359],
  ['nvidia-gb200', 'gb200-186gb', undefined],
  ['nvidia-rtx-pro-6000', 'rtx-pro-6000-server', 97_887],
  ['nvidia-l4', undefined, 22_559],
  ['nvidia-tesla-t4', undefined, 14_930]
] as const
for (const [name, id, mostMiB] of models) {
  t.test(
    `[GPU14] ${name} is ${id ?? 'no model of the catalogue'}, and no larger than it is known to be`,
    async (t) => {
      const gpu = findGkeGpu(name)

      t.equal(gpu?.model?.id, id)
      if (mostMiB === undefined) t.equal(gpu?.memoryMiB, undefined)
      else t.ok((gpu?.memoryMiB ?? Number.NaN) <= mostMiB, `${gpu?.memoryMiB} MiB`)
      t.ok((gpu?.memoryMiB ?? 10_000) >= 10_000)
    }
  )
}

t.test('[GPU14] of an accelerator that is not listed nothing is known', async (t) => {
  t.equal(findGkeGpu('nvidia-of-tomorrow'), undefined)
  t.equal(findGkeGpu('__proto__'), undefined)
})
