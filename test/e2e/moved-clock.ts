import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Preloaded into a process under test (`node --import`): moves both its clocks by as many ms as the file BED_CLOCK_FILE says, which is
 * read again and again, as if so much time had passed. Timers keep their pace. With BED_CLOCK=wall only the wall clock moves, as if
 * somebody had set it. What was read is written beside the file, by process, so that a test knows when a new time has come.
 */
const file = process.env['BED_CLOCK_FILE'] ?? ''
const isSet = process.env['BED_CLOCK'] === 'wall'
const machineNow = Date.now
const steadyNow = performance.now.bind(performance)
let offsetMs = 0

function read(): void {
  const said = Number(readFileSync(file, 'utf8'))
  if (!Number.isFinite(said) || said === offsetMs) return
  offsetMs = said
  writeFileSync(`${file}.${process.pid}`, String(said))
}

read()
setInterval(read, 20).unref()
Date.now = () => machineNow() + offsetMs
if (!isSet) performance.now = () => steadyNow() + offsetMs
