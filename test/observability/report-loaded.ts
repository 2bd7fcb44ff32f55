import { registerHooks } from 'node:module'

/** What our traces are made of; prom-client loads the API beside them, for exemplars. */
const tracing = /\/@opentelemetry\/(?!api\/)/

/** Loaded before a program; writes a line for each module of tracing that the program loads. */
registerHooks({
  load: (url, context, nextLoad) => {
    if (tracing.test(url)) process.stdout.write(`${JSON.stringify({ msg: 'loaded', url })}\n`)
    return nextLoad(url, context)
  }
})
