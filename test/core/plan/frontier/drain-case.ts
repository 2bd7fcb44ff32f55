import { printSlots } from '../../../../src/core/pack/patterns.ts'
import { classesOf } from '../../../../src/core/plan/frontier/classify.ts'
import type { DrainColumn } from '../../../../src/core/plan/frontier/columns.ts'
import type { Counted } from '../../../../src/core/plan/frontier/counted.ts'
import type { DrainObjective } from '../../../../src/core/plan/frontier/gains.ts'
import { type DrainProgram, drainProgram } from '../../../../src/core/plan/frontier/program.ts'
import { sortState } from '../../../../src/core/plan/frontier/sort-state.ts'
import type { ClearClass, KeptClass, StateClasses } from '../../../../src/core/plan/frontier/state-classes.ts'
import type { PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aState, type ShortNode } from '../order-case.ts'

/** What matters of a state of A100s beside its nodes. */
export interface DrainExtras {
  readonly pods?: Readonly<Record<string, Partial<PlanPod>>>
  /** That may be cut; `1g.10gb` alone where nothing is said. */
  readonly profiles?: readonly string[]
}

/** What matters of a question. */
export interface ShortAsk {
  readonly objective?: DrainObjective
  readonly spares?: readonly string[]
  readonly isCautious?: boolean
}

/** A state of A100s with 80 GB, by id. */
export function aDrain(
  nodes: Readonly<Record<string, ShortNode>>,
  { pods, profiles = ['1g.10gb'] }: DrainExtras = {}
): PlanState {
  const state = aState(nodes, pods)
  return sortState({ ...state, pools: state.pools.map((pool) => ({ ...pool, profiles })) })
}

/** Two cards with one small pod each, on a node each. */
export function twoCards(unit: ShortNode['unit'], extras: DrainExtras = {}): PlanState {
  const cards = (card: string, pod: string): ShortNode['cards'] => ({ [card]: { '1g.10gb@0': pod } })
  return aDrain({ m: { unit, cards: cards('a', 'p') }, n: { unit, cards: cards('b', 'q') } }, extras)
}

/** The kinds of a state. */
export function classesIn(
  state: PlanState,
  { objective = 'gpus', spares = [] }: ShortAsk = {}
): StateClasses {
  return classesOf(state, { freesNodes: objective !== 'gpus', spares: new Set(spares) })
}

/** The program of a state. */
export function programIn(state: PlanState, ask: ShortAsk = {}): DrainProgram {
  const { objective = 'gpus', isCautious } = ask
  return drainProgram({
    state,
    classes: classesIn(state, ask),
    objective,
    ...(isCautious === undefined ? {} : { isCautious })
  })
}

/** The kinds of a state in words. */
export function tellClasses({ asks, kept, clears, empty }: StateClasses): {
  readonly asks: readonly string[]
  readonly kept: readonly string[]
  readonly clears: readonly string[]
  readonly empty: readonly string[]
} {
  return {
    asks: [...asks.values()].map(({ pods }) => pods.map(({ id }) => id).join('+')),
    kept: kept.map((entry) => tellKept(entry)).toSorted(),
    clears: clears.map((entry) => tellClear(entry)).toSorted(),
    empty: [...empty.values()].flatMap((refs) => refs.map(({ card }) => card.id))
  }
}

function tellKept({ cards, gives, ways, isIdle, tenant }: KeptClass): string {
  const who = isIdle ? 'idle' : (tenant ?? 'anyone')
  const what = ways.map(({ slots }) => printSlots(slots)).join(' or ')
  return `${cards.map(({ card }) => card.id).join('+')} of ${who} ${gives}: ${what === '' ? 'nothing' : what}`
}

/** Such as `card a+b` or `freed m+n`. */
export function tellClear({ scope, members }: ClearClass): string {
  const ids = members.map(({ node, cards }) =>
    scope === 'card' ? cards.map(({ id }) => id).join() : node.id
  )
  return `${scope} ${ids.join('+')}`
}

/** Such as `keep a+b: 6 x 1g.10gb` or `move p+q to a100`. */
export function tellColumn(column: DrainColumn): string {
  switch (column.kind) {
    case 'clear':
      return `clear ${tellClear(column.clear)}`
    case 'keep':
      return `keep ${column.kept.cards.map(({ card }) => card.id).join('+')}${whose(column)}: ${printSlots(column.way.slots)}`
    case 'fill':
      return `fill ${column.pool}${whose(column)}: ${printSlots(column.way.slots)}`
    case 'move':
      return `move ${column.ask.pods.map(({ id }) => id).join('+')} to ${column.pool}`
  }
}

function whose({ tenant }: { readonly tenant: string | undefined }): string {
  return tenant === undefined ? '' : ` for ${tenant}`
}

/** Rows as `least..most` and the columns, by name, with their weights. */
export function tellRows({ columns, rows }: Pick<DrainProgram, 'columns' | 'rows'>): readonly string[] {
  return rows.map(({ least = '', most = '', terms }) => {
    const told = terms.map(([index, weight]) => {
      const column = columns[index]
      return { weight, name: column === undefined ? 'nothing' : tellColumn(column) }
    })
    const sorted = told.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return `${least}..${most} of ${sorted.map(({ weight, name }) => `${weight} ${name}`).join(', ')}`
  })
}

/** An answer by column in words; 0 for those that are not named. */
export function answerOf(
  { columns }: Pick<DrainProgram, 'columns'>,
  counts: Readonly<Record<string, number>>
): readonly number[] {
  const names = columns.map((column) => tellColumn(column))
  const lost = Object.keys(counts).find((name) => !names.includes(name))
  if (lost !== undefined) throw new Error(`no column ${lost} among ${names.join('; ')}`)
  return names.map((name) => counts[name] ?? 0)
}

/** Columns in words of which there are some. */
export function countedOf(
  columns: readonly DrainColumn[],
  counts: Readonly<Record<string, number>>
): Counted {
  const answer = answerOf({ columns }, counts)
  return columns
    .map((column, index) => ({ column, count: answer[index] ?? 0 }))
    .filter(({ count }) => count > 0)
}
