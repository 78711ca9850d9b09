// Plays games by chance with the translated rules, as fast as they go.

import * as chance from '../web/src/engine/generated/chance.js'
import { ACTIONS, DICE, OVER, THROW } from '../web/src/engine/generated/codes.js'
import { Log, State } from '../web/src/engine/generated/records.js'
import * as rules from '../web/src/engine/generated/rules.js'

/** Play games and count their decisions. */
export function play(t, seats, games) {
  const out = new Int32Array(ACTIONS)
  const faces = new Int32Array(DICE)
  const order = new Int32Array(DICE)
  const log = new Log()
  log.size = -1
  let decisions = 0
  const before = performance.now()
  for (let game = 0; game < games; game++) {
    const s = new State()
    s.seats = seats
    rules.begin(t, s, log)
    while (s.phase !== OVER) {
      if (s.phase === THROW) {
        const where = chance.address(s.turn, s.rolls, s.rerolls)
        chance.throw_faces(game, 1, where, faces)
        chance.throw_order(game, 1, where, order)
        rules.roll(t, s, faces, order, log)
        continue
      }
      const seat = 31 - Math.clz32(rules.awaiting(t, s))
      const n = rules.legal_actions(t, s, seat, out)
      rules.apply(t, s, seat, out[chance.draw(game, 2, 4, decisions, n)], log)
      decisions++
    }
  }
  return { decisions, seconds: (performance.now() - before) / 1000 }
}
