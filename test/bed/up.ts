import { findBinaries, findHelm, findPrometheus } from './binaries.ts'
import type { GpuNodeSpec } from './nodes.ts'
import { ROLES, type Role } from './roles.ts'
import { startSimulator } from './simulator.ts'
import { type Bed, startBed } from './start-bed.ts'

/** `npm run bed`: a cluster with fake GPU nodes for a person; `npm run bed -- --build-only` only gets the programs. */

const NODES: readonly GpuNodeSpec[] = [
  {
    name: 'h100-mig',
    product: 'H100-80',
    layout: { kind: 'mig-mixed', gpus: 1, profiles: { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 } }
  },
  { name: 'a100-mig', product: 'A100-80', layout: { kind: 'mig-single', gpus: 2, profile: '1g.10gb' } },
  { name: 'h200-whole', product: 'H200-141', layout: { kind: 'whole', gpus: 8 } },
  { name: 'l4-shared', product: 'L4', layout: { kind: 'time-sliced', gpus: 2, replicas: 4, renamed: true } },
  { name: 'a10-mps', product: 'A10', layout: { kind: 'mps', gpus: 2, replicas: 4, renamed: false } }
]

function describe(bed: Bed): string {
  const shown: readonly Role[] = ROLES.filter((role) => !role.startsWith('kube-'))
  const lines = shown.map((role) => `  ${role.padEnd(10)} export KUBECONFIG=${bed.kubeconfig(role)}`)
  return `\nAPI server ${bed.url}\nlogs       ${bed.directory}/*.log\n${lines.join('\n')}\n\nCtrl-C stops everything.\n`
}

const binaries = await findBinaries()
if (binaries.kind === 'missing') {
  console.error(binaries.how)
  process.exitCode = 1
} else if (process.argv.includes('--build-only')) {
  const helm = await findHelm().catch((fault: unknown) => ({ kind: 'missing' as const, how: String(fault) }))
  for (const found of [binaries, await findPrometheus(), helm]) {
    if (found.kind === 'found') console.log(Object.values(found.paths).join('\n'))
    else {
      console.error(found.how)
      // The tests of the chart are skipped without it; nothing else is.
      if (found !== helm) process.exitCode = 1
    }
  }
} else {
  const bed = await startBed({ binaries: binaries.paths })
  const simulator = startSimulator(bed)
  for (const node of NODES) await simulator.addNode(node)
  console.log(describe(bed))
  setInterval(() => undefined, 60_000)
}
