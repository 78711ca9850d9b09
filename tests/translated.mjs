// Plays games with the translated rules and writes everything that happens as 32-bit numbers:
//   node translated.mjs ENGINE TABLES.json SEATS FIRST_NUMBER GAMES
// After the beginning and after every step: seat and action (-1 for a roll), the seats that may act,
// the dice wanted, the totals, the legal actions of every seat, the log, and the whole state.
// `translated.py` plays the same and compares.

import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [folder, file, seats, first, games] = process.argv.slice(2)
const load = (name) => import(`${pathToFileURL(folder)}/${name}.js`)
const [chance, codes, rules, { Log, State }] = await Promise.all(
  ['chance', 'codes', 'rules', 'records'].map(load),
)
const t = JSON.parse(readFileSync(file, 'utf8'))
const log = new Log()
const out = new Int32Array(codes.ACTIONS)
const faces = new Int32Array(codes.DICE)
const order = new Int32Array(codes.DICE)

let written = []
function flush() {
  const bytes = new Uint8Array(Int32Array.from(written).buffer)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
  written = []
}

function report(s, seat, action) {
  written.push(seat, action, rules.awaiting(t, s), rules.rolling(t, s))
  for (let k = 0; k < s.seats; k++) {
    written.push(rules.total_score(t, s, k))
    const n = rules.legal_actions(t, s, k, out)
    written.push(n, ...out.subarray(0, n))
  }
  written.push(log.size, ...log.entries.subarray(0, log.size))
  written.push(...s.numbers)
  log.size = 0
}

function play(number, low, high) {
  const s = new State()
  s.seats = Number(seats)
  s.first = number % s.seats
  s.solo_fallback = (number >> 1) & 1
  s.fox_floor = (number >> 2) & 1
  rules.begin(t, s, log)
  report(s, -2, 0)
  for (let step = 0; s.phase !== codes.OVER; step++) {
    if (s.phase === codes.THROW) {
      const where = chance.address(s.turn, s.rolls, s.rerolls)
      chance.throw_faces(low, high, where, faces)
      chance.throw_order(low, high, where, order)
      rules.roll(t, s, faces, order, log)
      report(s, -1, 0)
      continue
    }
    // Any of the seats that may act, and any of its actions.
    const waiting = []
    for (let k = 0; k < s.seats; k++) if ((rules.awaiting(t, s) >> k) & 1) waiting.push(k)
    const seat = waiting[chance.draw(low, high, chance.CHOICE, 2 * step, waiting.length)]
    const n = rules.legal_actions(t, s, seat, out)
    const action = out[chance.draw(low, high, chance.CHOICE, 2 * step + 1, n)]
    rules.apply(t, s, seat, action, log)
    report(s, seat, action)
  }
  written.push(-3, rules.winners(t, s))
  for (let k = 0; k < s.seats; k++) {
    written.push(rules.fox_value(t, s, k), rules.best_area(t, s, k))
    for (let a = 0; a < t.areas; a++) written.push(rules.area_points(t, s, k, a))
  }
}

for (let k = 0; k < Number(games); k++) {
  const number = Number(first) + k
  play(number, number * 2654435761 >>> 0, number)
  flush()
}
