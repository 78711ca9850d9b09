// Decides with the bots of the page: node decided.mjs BRAIN.mjs JOBS.json prints an action per job, as
// JSON, and how long each took in milliseconds.

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [brain, file] = process.argv.slice(2)
const { Brain, State } = await import(pathToFileURL(brain))
const { tables, nets, jobs } = JSON.parse(readFileSync(file, 'utf8'))
const bytes = Buffer.from(nets, 'base64')
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
const bots = new Brain(tables, data)
const actions = []
const times = []
for (const { numbers, seat, level, low, high } of jobs) {
  const s = new State()
  s.numbers.set(numbers)
  const before = performance.now()
  actions.push(bots.decide(s, seat, level, { low, high }))
  times.push(performance.now() - before)
  if (s.numbers.some((number, k) => number !== (numbers[k] ?? 0))) throw new Error('state changed')
}
console.log(JSON.stringify({ actions, times }))
