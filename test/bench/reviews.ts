import { readFileSync } from 'node:fs'

/** The review of the benchmarks, JSON: its program takes a fraction of whatever device it finds, so the pod is kept. */
export function keptReview(): string {
  return readFileSync(new URL('review.json', import.meta.url), 'utf8')
}

/** The same review without what makes the program take a fraction of the device, so that the pod is sized and rewritten. */
export function sizableReview(): string {
  return keptReview()
    .replace('--gpu-memory-utilization', '--max-num-seqs')
    .replace('/vllm-openai:', '/server:')
}
