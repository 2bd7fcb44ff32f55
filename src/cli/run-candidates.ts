import { findCandidates } from '../core/candidates/find-candidates.ts'
import { freedGpus } from '../core/candidates/summary.ts'
import { AppError } from '../core/errors.ts'
import { toEffectivePolicy } from '../core/policy/effective-policy.ts'
import { lookbackDaysOf } from '../core/policy/lookback.ts'
import { type CandidateSources, gatherCandidateInput } from '../gather/candidate-input.ts'
import type { Snapshot } from '../gather/snapshot.ts'
import { candidatesJson } from './candidates-json.ts'
import type { TextSink } from './convert.ts'
import { renderCandidates, renderCandidatesMarkdown } from './render-candidates.ts'

/** What `rightslice candidates` works with. */
export interface CandidatesCommand {
  readonly snapshot: Snapshot
  readonly sources: CandidateSources
  /** Where peaks come from, for people: an address, or the GpuWorkloads of the cluster. */
  readonly source: string
  readonly nowMs: number
  readonly output: 'table' | 'json' | 'markdown'
  readonly stdout: TextSink
}

/** Prints what could share, and what that would free. @returns how many GPUs could be freed */
export function runCandidates(command: CandidatesCommand): number {
  const { snapshot, sources, source, nowMs, output, stdout } = command
  const groups = findCandidates(gatherCandidateInput(snapshot, sources))
  switch (output) {
    case 'json':
      stdout.write(
        `${JSON.stringify(candidatesJson(groups, { source, nowMs, lookbackDays: lookbackOf(snapshot) }), null, 2)}\n`
      )
      break
    case 'markdown':
      stdout.write(renderCandidatesMarkdown(groups))
      break
    case 'table':
      stdout.write(renderCandidates(groups))
  }
  return groups.reduce((sum, group) => sum + freedGpus(group), 0)
}

function lookbackOf({ policies }: Snapshot): number {
  return lookbackDaysOf(policies.map(toEffectivePolicy))
}

/**
 * Prices by GPU model, from `MODEL=USD` with USD per hour of one GPU; `*=USD` stands for every other model.
 * @throws AppError USAGE_WRONG
 */
export function parsePrices(texts: readonly string[]): CandidateSources['priceUsdPerHour'] {
  const prices = new Map(texts.map(parsePrice))
  return (model) => prices.get(model) ?? prices.get('*')
}

function parsePrice(text: string): readonly [model: string, usdPerHour: number] {
  const [, model, amount] = /^([^=]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (model === undefined)
    throw new AppError('USAGE_WRONG', `--price ${text}: write MODEL=USD, such as NVIDIA-H200=4.50`)
  return [model, Number(amount)]
}
