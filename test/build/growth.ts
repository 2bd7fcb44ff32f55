/** Tries of each size; the fastest counts, since a busy machine only ever makes it slower. */
const TRIES = 3

/** CPU that one try takes at least, microseconds: some clocks of CPU tick every 10 ms. */
const LEAST_US = 60_000

/**
 * How much more work something takes for four times as much: about 4 where the work grows with the size, 16 where it grows with the
 * square of it. It compares CPU with CPU, so the machine does not matter.
 * @param size makes an input of so much; take one whose work outweighs what is done once, whatever the size
 */
export function growthOf<T>(size: number, make: (size: number) => T, work: (input: T) => unknown): number {
  return leastCpu(make(4 * size), work) / leastCpu(make(size), work)
}

/** What lies between growth with the size and growth with its square. */
export const MOST_GROWTH = 9

/** CPU of the thread for doing the work once, microseconds. */
function leastCpu<T>(input: T, work: (input: T) => unknown): number {
  return Math.min(...Array.from({ length: TRIES }, () => cpuOf(input, work)))
}

function cpuOf<T>(input: T, work: (input: T) => unknown): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    work(input)
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= LEAST_US) return (user + system) / times
  }
}
