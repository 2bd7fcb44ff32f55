import { corpus } from './corpus.ts'
import { growPod } from './grow-pod.ts'
import { anyQuantity, oddKeys, oddString, oddValue } from './odd-values.ts'
import type { Random } from './random.ts'
import {
  copyOf,
  dropAt,
  isBranch,
  isTree,
  listAt,
  type Place,
  placesBelow,
  putAt,
  type Tree,
  treeAt,
  valueAt
} from './tree.ts'

/** Changes something of the request or of the object in it, in place. */
type Mutation = (object: Tree, random: Random) => void

/** Changes that know what a review is made of, by the name that a finding tells. */
const mutations: Readonly<Record<string, Mutation>> = {
  drop: (object, random) => atPlace(object, random, dropAt),
  duplicate: (object, random) => atPlace(object, random, (place) => duplicate(place, random)),
  retype: (object, random) => atPlace(object, random, (place) => putAt(place, oddValue(random))),
  string: (object, random) => atPlace(object, random, (place) => putAt(place, oddString(random)), isText),
  key: (object, random) => atBranch(object, random, (tree) => addKey(tree, random)),
  rename: (object, random) => atPlace(object, random, (place) => rename(place, random)),
  move: (object, random) => move(object, random),
  swap: (object, random) => swap(object, random),
  quantity: (object, random) => changeResource(object, random),
  sameName: (object, random) => nameAlike(object, random),
  wish: (object, random) => wish(object, random),
  grow: (object, random) => growPod(object, random)
}

/** `grow` makes reviews that take a hundred times as long, so it comes seldom. */
const GROW_ONCE = 250

const names = Object.keys(mutations).filter((name) => name !== 'grow')

/** Carries out one mutation of the object and returns its name. */
export function mutateTree(object: Tree, random: Random): string {
  const name = random.once(GROW_ONCE) ? 'grow' : (random.pick(names) ?? 'drop')
  mutations[name]?.(object, random)
  return name
}

/** Does something at a random place, if there is one. */
function atPlace(
  root: Tree,
  random: Random,
  act: (place: Place) => void,
  fits: (value: unknown) => boolean = () => true
): void {
  const places = placesBelow(root)
  for (let tries = 0; tries < 8; tries += 1) {
    const place = random.pick(places)
    if (place === undefined || !fits(valueAt(place))) continue
    act(place)
    return
  }
}

function atBranch(root: Tree, random: Random, act: (tree: Tree) => void): void {
  const trees = [root, ...placesBelow(root).map(valueAt).filter(isTree)]
  act(random.pick(trees) ?? root)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function duplicate(place: Place, random: Random): void {
  const copy = copyOf(valueAt(place))
  if (Array.isArray(place.parent)) place.parent.splice(random.below(place.parent.length + 1), 0, copy)
  else putAt({ parent: place.parent, key: `${place.key}${random.pick(['', '2', '/', ' '])}` }, copy)
}

function addKey(tree: Tree, random: Random): void {
  const key = random.pick(oddKeys)
  const value = random.once(3)
    ? { prototype: { allowed: false }, limits: oddValue(random) }
    : oddValue(random)
  putAt({ parent: tree, key }, value)
}

function rename(place: Place, random: Random): void {
  if (Array.isArray(place.parent)) return
  const value = valueAt(place)
  dropAt(place)
  putAt({ parent: place.parent, key: random.pick(oddKeys) }, value)
}

/** Puts a copy of one part of the object in the place of another. */
function move(root: Tree, random: Random): void {
  const copy = copyOf(valueAt(random.pick(placesBelow(root)) ?? { parent: root, key: 'spec' }))
  atPlace(root, random, (place) => putAt(place, copy))
}

/** Puts a part of another object of the corpus where a part of the same name stands. */
function swap(root: Tree, random: Random): void {
  const other = random.pick(corpus)?.object
  const theirs = placesBelow(other)
  atPlace(
    root,
    random,
    (place) => {
      const same = theirs.filter(({ key }) => key === place.key)
      const found = random.pick(same.length > 0 ? same : theirs)
      if (found !== undefined) putAt(place, copyOf(valueAt(found)))
    },
    isBranch
  )
}

const RESOURCES = [
  'nvidia.com/gpu',
  'nvidia.com/gpu.shared',
  'nvidia.com/mig-1g.10gb',
  'nvidia.com/mig-1g.10gb.me',
  'nvidia.com/mig-9g.999gb',
  'nvidia.com/mig-',
  'nvidia.com/gpumem',
  'amd.com/gpu',
  'nvidia.com/pgpu',
  'rdma/ib'
] as const

/** A random container of the pod, made where there is none. */
function containerOf(object: Tree, random: Random): Tree {
  const list = listAt(
    object,
    'spec',
    random.pick(['containers', 'containers', 'initContainers', 'ephemeralContainers'])
  )
  const found = random.pick(list)
  if (isTree(found)) return found
  const made: Tree = { name: random.pick(['main', 'second', '']) }
  list.push(made)
  return made
}

function changeResource(object: Tree, random: Random): void {
  const container = containerOf(object, random)
  const name = random.pick(RESOURCES)
  const quantity = anyQuantity(random)
  for (const part of random.pick([['limits'], ['requests'], ['limits', 'requests']]))
    putAt({ parent: treeAt(container, 'resources', part), key: name }, quantity)
}

/** Gives one container the name of another. */
function nameAlike(object: Tree, random: Random): void {
  const name = valueAt({ parent: containerOf(object, random), key: 'name' })
  if (name !== undefined) putAt({ parent: containerOf(object, random), key: 'name' }, copyOf(name))
}

const ANNOTATIONS = ['pin', 'min-memory', 'headroom', 'sharing', 'do-not-move', 'reason'] as const
const MARKS = ['decision', 'explain', 'original-resources', 'snapshot', 'unheard-of'] as const
const WISHES = [
  'whole-gpu',
  'mig-1g.10gb',
  'mig-2g.20gb',
  'shared',
  'never',
  'mig',
  'any',
  '20%',
  '9Gi',
  '1000'
] as const

/** Writes something that only our webhooks read. */
function wish(object: Tree, random: Random): void {
  const map = treeAt(object, 'metadata', random.pick(['annotations', 'annotations', 'labels']))
  const name = random.once(3) ? random.pick(MARKS) : random.pick(ANNOTATIONS)
  const value = random.once(4) ? oddValue(random) : random.pick(WISHES)
  putAt({ parent: map, key: `rightslice.dev/${name}` }, value)
}
