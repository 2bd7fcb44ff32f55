import type { Bed } from '../../bed/start-bed.ts'

/** Kinds that come and go by themselves. */
const FLEETING = /^(events(\.|$)|leases\.|endpointslices\.|endpoints$|componentstatuses|apiservices\.)/

/** What a controller of the cluster adds to each namespace some time after it was made. */
const OF_NAMESPACES = /^ConfigMap \S+ kube-root-ca\.crt$/

/** Every object of the cluster that stays until somebody removes it, with the labels of namespaces; sorted. */
export async function inventory(bed: Bed): Promise<readonly string[]> {
  const told = await ask(bed, 'api-resources', '--verbs=list', '-o', 'name')
  const kinds = told
    .split('\n')
    .map((line) => line.trim())
    .filter((kind) => kind !== '' && !FLEETING.test(kind))
  const columns = 'KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name'
  const objects = await ask(
    bed,
    'get',
    kinds.join(','),
    '-A',
    '--no-headers',
    '-o',
    `custom-columns=${columns}`
  )
  const labels = await ask(bed, 'get', 'namespaces', '--no-headers', '--show-labels')
  const known = [...objects.split('\n'), ...labels.split('\n').map((line) => line.replace(/ \d+\w+ /, ' '))]
  return known
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .filter((line) => line !== '' && !OF_NAMESPACES.test(line))
    .toSorted()
}

async function ask(bed: Bed, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await bed.kubectl(args)
  if (code !== 0) throw new Error(`kubectl ${args[0] ?? ''}: ${stderr}`)
  return stdout
}
