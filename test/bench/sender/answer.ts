/** Whether head and body of an answer are there; the server says the length of every body. */
export function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(answer)?.[1]
  return head >= 0 && answer.length >= head + 4 + Number(length ?? 0)
}

/** Status of an answer. */
export function statusOf(answer: string): number {
  return Number(answer.slice(9, 12))
}

/** Whether the connection ends with this answer. */
export function closesAfter(answer: string): boolean {
  return /^connection: close/im.test(answer)
}

/**
 * Whether an answer is what it should be: the review with this uid and with what it is to tell, or a call that is sent back and told when to
 * come again.
 */
export function isRight(
  answer: string,
  { uid, told = '' }: { uid: string; told?: string | undefined }
): boolean {
  switch (statusOf(answer)) {
    case 200:
      return answer.includes(`"uid":"${uid}"`) && answer.includes(told)
    case 503:
      return /^retry-after: 1\r$/im.test(answer) && answer.endsWith('"}') && answer.includes('OVERLOADED')
    default:
      return false
  }
}
