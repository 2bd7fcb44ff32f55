import { budgetRule, priceRule } from '../api/gpu-policy-rules.ts'
import { policyDefaults } from '../api/policy-defaults.ts'
import { type Fault, printPath } from './fault.ts'
import {
  checkTexts,
  type Read,
  readDuration,
  readProfiles,
  readRatio,
  readWindows,
  valueAt
} from './field-readers.ts'
import { parseBusyAbove, parseHeadroom } from './headroom.ts'
import type { PolicyWindow } from './window.ts'

/** The parts of a spec whose text has a meaning of its own, read whatever the rest looks like. */
export interface PolicyMeaning {
  readonly headroomRatio: number
  readonly busyAboveRatio: number | undefined
  readonly allowedProfiles: readonly string[] | undefined
  readonly provisionable: readonly string[]
  readonly lookbackSeconds: number
  readonly minCoverageSeconds: number
  readonly maxExemptionSeconds: number
  readonly rescueAfterSeconds: number
  /** undefined where the policy has no canary. */
  readonly canaryHealthySeconds: number | undefined
  readonly windows: readonly PolicyWindow[]
}

/** What was read, what turns the policy off, and which entries of lists merely do not count. */
export interface MeaningRead {
  readonly meaning: PolicyMeaning
  readonly faults: readonly Fault[]
  readonly refused: readonly Fault[]
}

function crossFaults(spec: unknown, lookback: Read<number>, minCoverage: Read<number>): readonly Fault[] {
  const mode = valueAt(spec, ['mode'])
  const hasWindow = valueAt(spec, ['window']) !== undefined || valueAt(spec, ['windows']) !== undefined
  const isReadable = lookback.faults.length + minCoverage.faults.length === 0
  return [
    ...(mode === 'Automatic' && !hasWindow
      ? [{ field: 'spec.mode', value: mode, message: 'needs window or windows' }]
      : []),
    ...(isReadable && minCoverage.value > lookback.value
      ? [
          {
            field: 'spec.history.minCoverage',
            value: valueAt(spec, ['history', 'minCoverage']) ?? policyDefaults.minCoverage,
            message: 'must not be longer than lookback'
          }
        ]
      : [])
  ]
}

function entriesOf(spec: unknown, path: readonly string[]): readonly (readonly [string, unknown])[] {
  const value = valueAt(spec, path)
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function budgetFaults(spec: unknown): readonly Fault[] {
  const budgets = entriesOf(spec, ['budgets']).map(([index, budget]) => ({
    field: `spec.budgets[${index}].nodes`,
    value: valueAt(budget, ['nodes'])
  }))
  return checkTexts(budgets, budgetRule)
}

function priceFaults(spec: unknown): readonly Fault[] {
  const path = ['pricing', 'staticPerGpuHour']
  const prices = entriesOf(spec, path).map(([product, value]) => ({
    field: printPath(['spec', ...path, product]),
    value
  }))
  return checkTexts(prices, priceRule)
}

/**
 * Reads every text of a policy that has a grammar of its own (headroom, profiles, durations, windows), and the rules between
 * fields. Works on any JSON, so that faults of meaning are told together with faults of shape.
 */
export function readMeaning(spec: unknown): MeaningRead {
  const headroom = readRatio(spec, ['mig', 'headroom'], parseHeadroom, policyDefaults.headroom)
  const busyAbove = readRatio(spec, ['compute', 'busyAbove'], parseBusyAbove)
  const allowed = readProfiles(spec, ['mig', 'allowedProfiles'])
  const provisionable = readProfiles(spec, ['mig', 'provisionable'])
  const lookback = readDuration(spec, ['history', 'lookback'], policyDefaults.lookback)
  const minCoverage = readDuration(spec, ['history', 'minCoverage'], policyDefaults.minCoverage)
  const exemption = readDuration(spec, ['exemptions', 'maxDuration'], policyDefaults.maxExemption)
  const rescueAfter = readDuration(spec, ['rescueAfter'], policyDefaults.rescueAfter)
  const healthyFor = readDuration(spec, ['canary', 'healthyFor'], policyDefaults.healthyFor)
  const windows = readWindows(spec)
  return {
    meaning: {
      headroomRatio: headroom.value ?? 0,
      busyAboveRatio: busyAbove.value,
      allowedProfiles: allowed.value,
      provisionable: provisionable.value ?? [],
      lookbackSeconds: lookback.value,
      minCoverageSeconds: minCoverage.value,
      maxExemptionSeconds: exemption.value,
      rescueAfterSeconds: rescueAfter.value,
      canaryHealthySeconds: valueAt(spec, ['canary']) === undefined ? undefined : healthyFor.value,
      windows: windows.value
    },
    faults: [
      ...[headroom, busyAbove, lookback, minCoverage, exemption, rescueAfter, healthyFor, windows].flatMap(
        ({ faults }) => faults
      ),
      ...crossFaults(spec, lookback, minCoverage),
      ...budgetFaults(spec),
      ...priceFaults(spec)
    ],
    refused: [...allowed.faults, ...provisionable.faults]
  }
}
