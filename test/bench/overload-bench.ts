import { parseArgs } from 'node:util'
import { figuresOf, measureOverload } from './overload/measure.ts'
import { renderFigures, writeFigures } from './report.ts'

const usage = `Usage: npm run bench:overload -- [--seconds N] [--times N] [--connections N] [--json FILE]

Offers the webhook many times what it can do (default: 10 times, for 30 s), from a process of its own over TLS, with as many calls in
flight as two API servers make (default: 400). Prints how long answers took, before, meanwhile and after, with the goal beside each figure.`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    times: { type: 'string', default: '10' },
    connections: { type: 'string', default: '400' },
    json: { type: 'string' },
    help: { type: 'boolean' }
  }
})
if (values.help === true) {
  console.log(usage)
} else {
  const result = await measureOverload({
    seconds: Number(values.seconds),
    beforeSeconds: 5,
    times: Number(values.times),
    connections: Number(values.connections)
  })
  const figures = figuresOf(result)
  console.log(renderFigures(figures))
  if (values.json !== undefined) writeFigures(values.json, figures)
}
