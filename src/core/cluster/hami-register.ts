import { fieldOf, isRecord, stringMapOf, stringOf } from '../json.ts'

/** What HAMi has registered on a node, as far as it decides: no ids, so that nodes of one kind are alike. */
export interface HamiDevices {
  /** Containers that may have a part of the node's GPUs at one time. */
  readonly slots: number
  /** Containers that may share one GPU. */
  readonly split: number
  /** Memory of the largest GPU as HAMi counts it, MiB. */
  readonly memoryMiB: number
  /** Compute that HAMi gives away of each GPU, percent; the lowest of the GPUs. 0 where it does not limit compute. */
  readonly corePercent: number
}

/** Annotations that HAMi keeps on nodes. */
export const hamiAnnotations = {
  register: 'hami.io/node-nvidia-register',
  handshake: 'hami.io/node-handshake'
} as const

/** One GPU of a registration. */
interface HamiDevice {
  readonly count: number
  readonly memoryMiB: number
  readonly corePercent: number
  /** Empty where the registration is older than modes. */
  readonly mode: string
  readonly isHealthy: boolean
}

/**
 * The registered GPUs that can be shared by memory and compute; undefined where there are none, where the registration cannot be
 * read as a whole, and once HAMi's scheduler has marked the node as gone. Ages are not looked at: they are of the clock and time
 * zone of HAMi's scheduler, and newer versions let them get old; a plugin that is gone shows in allocatable. Never throws.
 * @source Project-HAMi/HAMi pkg/device/devices.go (registration, handshake), pkg/device/nvidia/device.go; HAMi's protocol design page
 */
export function readHamiDevices(metadata: unknown): HamiDevices | undefined {
  const annotations = stringMapOf(metadata, 'annotations')
  const text = annotations[hamiAnnotations.register]
  if (text === undefined || annotations[hamiAnnotations.handshake]?.startsWith('Deleted') === true)
    return undefined
  const devices = parseRegistration(text)?.filter(isShareable) ?? []
  if (devices.length === 0) return undefined
  return {
    slots: devices.reduce((sum, { count }) => sum + count, 0),
    split: Math.max(...devices.map(({ count }) => count)),
    memoryMiB: Math.max(...devices.map(({ memoryMiB }) => memoryMiB)),
    corePercent: Math.min(...devices.map(({ corePercent }) => corePercent))
  }
}

/** The registration with nothing in it but what is read, as newer versions write it; undefined where there is none. */
export function slimRegistration(text: string): string | undefined {
  const devices = parseRegistration(text)
  return (
    devices &&
    JSON.stringify(
      devices.map(({ count, memoryMiB, corePercent, mode, isHealthy }) => ({
        count,
        devmem: memoryMiB,
        devcore: corePercent,
        mode,
        health: isHealthy
      }))
    )
  )
}

/** In modes `mig` and `mps` the memory that is asked for means something else. */
function isShareable({ count, memoryMiB, mode, isHealthy }: HamiDevice): boolean {
  return isHealthy && count > 0 && memoryMiB > 0 && (mode === '' || mode === 'hami-core')
}

function parseRegistration(text: string): readonly HamiDevice[] | undefined {
  const devices = text.trimStart().startsWith('[') ? parseList(text) : parseLines(text)
  if (devices === undefined || devices.includes(undefined)) return undefined
  return devices.flatMap((device) => device ?? [])
}

/** Newer versions write JSON; a field with its zero value is left out. */
function parseList(text: string): readonly (HamiDevice | undefined)[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map(deviceOf) : undefined
  } catch {
    return undefined
  }
}

function deviceOf(raw: unknown): HamiDevice | undefined {
  if (!isRecord(raw)) return undefined
  const [count, memoryMiB, corePercent] = ['count', 'devmem', 'devcore'].map((key) =>
    wholeNumber(fieldOf(raw, key) ?? 0)
  )
  if (count === undefined || memoryMiB === undefined || corePercent === undefined) return undefined
  return {
    count,
    memoryMiB,
    corePercent,
    mode: stringOf(raw, 'mode') ?? '',
    isHealthy: raw['health'] === true
  }
}

/** Older versions end each GPU with a colon: `id,count,memory,cores,type,numa,health`, since 2.5 with `,index,mode`. */
function parseLines(text: string): readonly (HamiDevice | undefined)[] | undefined {
  const entries = text.split(':').filter((entry) => entry.includes(','))
  return entries.length === 0 ? undefined : entries.map(deviceOfLine)
}

function deviceOfLine(line: string): HamiDevice | undefined {
  const items = line.split(',')
  if (items.length < 7 || items.length > 9) return undefined
  const [count, memoryMiB, corePercent] = items.slice(1, 4).map((item) => wholeNumber(Number(item)))
  if (count === undefined || memoryMiB === undefined || corePercent === undefined) return undefined
  return { count, memoryMiB, corePercent, mode: items[8] ?? '', isHealthy: items[6] === 'true' }
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
